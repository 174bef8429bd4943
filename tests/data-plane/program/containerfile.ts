import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { MachineCopy } from '#tests/support/server/machine-copy.ts';

const execute = promisify(execFile);

/** One line of a Containerfile, continued ones put together. */
export interface Instruction {
  name: string;
  value: string;
}

/** What a container of an image runs, and as whom. */
export interface Image {
  machine: MachineCopy;
  environment: Record<string, string>;
  user: string;
  folder: string;
  volumes: string[];
  ports: string[];
  command: string[];
  healthcheck: string[];
}

/** Returns the instructions of each stage, without its FROM. */
export function parseStages(text: string): Instruction[][] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [, name = '', value = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') stages.push([]);
    else stages.at(-1)?.push({ name, value: value.replaceAll(/\s+/g, ' ') });
  }
  return stages;
}

/**
 * Follows the instructions of one stage on a copy of this machine, in the place of a base image: no registry of images has to be
 * reached, and nothing is packed. `context` and `earlier` are the folders, as this machine sees them, that COPY takes from;
 * `before` stands before every RUN. An instruction that is not known here fails.
 */
export async function buildStage(
  machine: MachineCopy,
  instructions: readonly Instruction[],
  sources: { context: string; ignored: readonly string[]; earlier?: string; before?: string },
): Promise<Image> {
  const image: Image = {
    ...{ machine, environment: {}, user: 'root', folder: '/', volumes: [], ports: [], command: [] },
    healthcheck: [],
  };
  let entry: string[] = [];
  for (const { name, value } of instructions) {
    if (name === 'WORKDIR') {
      image.folder = value;
      await mkdir(join(machine.root, value), { recursive: true });
    } else if (name === 'COPY') {
      await copy(image, value, sources);
    } else if (name === 'RUN') {
      await machine.mustRun(`cd ${image.folder}\n${sources.before ?? ''}\n${value}`);
    } else if (name === 'ENV') {
      const [variable = '', setting = ''] = value.split('=');
      image.environment[variable] = setting;
    } else if (name === 'VOLUME') {
      image.volumes.push(value);
    } else if (name === 'EXPOSE') {
      image.ports.push(...value.split(' '));
    } else if (name === 'USER') {
      image.user = value;
    } else if (name === 'HEALTHCHECK') {
      image.healthcheck = JSON.parse(value.replace(/^.*? CMD /, ''));
    } else if (name === 'ENTRYPOINT') {
      entry = JSON.parse(value);
    } else if (name === 'CMD') {
      image.command = [...entry, ...JSON.parse(value)];
    } else {
      throw new Error(`${name} is not known here`);
    }
  }
  return image;
}

async function copy(
  { machine, folder }: Image,
  value: string,
  { context, ignored, earlier = '' }: { context: string; ignored: readonly string[]; earlier?: string },
): Promise<void> {
  const [, stage, rest = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(value) ?? [];
  const names = rest.split(' ');
  const target = join(machine.root, resolve(folder, names.pop() ?? ''));
  const source = stage === undefined ? context : join(earlier, names.join(' '));
  const chosen = stage === undefined ? names : ['.'];
  const left = stage === undefined ? ignored.map((name) => `--exclude=./${name}`) : [];
  await mkdir(target, { recursive: true });
  const script = 'source=$1 target=$2; shift 2; tar -C "$source" -cf - "$@" | tar -C "$target" -xf -';
  await execute('bash', ['-euo', 'pipefail', '-c', script, 'bash', source, target, ...left, ...chosen]);
}

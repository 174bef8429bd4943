import { type ChildProcess, execFile } from 'node:child_process';
import { appendFile, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { pollUntil } from '#tests/support/poll-until.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { ensureDebianPackages } from '#tests/support/runner/debian-packages.ts';
import {
  type CommandOptions,
  type MachineCopy,
  startMachineCopy,
} from '#tests/support/server/machine-copy.ts';
import { commandsRunBy, fencedBlocks } from '#tests/support/sources/documented-commands.ts';
import { buildStage, type Image, parseStages } from './containerfile.ts';

/**
 * An installation from the pages alone, in a copy of this machine whose files and network are its own. It is told apart from a real
 * one by this: nothing was booted by systemd, so the test starts what the unit says as the unit says it; the packages are
 * installed and the pages built once for all commands that do so; and the image is made of a copy of this machine, since no
 * registry of images can be counted on and packing one would take minutes.
 */
const ROOT = join(import.meta.dirname, '..', '..', '..');
const PLACE = '/opt/portage';
const UNIT = '/etc/systemd/system/portage.service';
const commands = commandsRunBy(import.meta.filename);
const texts = [...new Set(commands.map(({ text }) => text))];
/** What has been done once with the same files is not done again. */
const DONE = `npm() { case "$*" in ci|'ci --omit=dev'|'run build') ;; *) command npm "$@" ;; esac; }`;
const execute = promisify(execFile);
const readRepository = (path: string) => readFile(join(ROOT, path), 'utf8');

let origin: string;
let machine: MachineCopy;
/** Programs of this machine reach a registry of packages with what they are told here. */
const outside: CommandOptions = {
  reachesOut: true,
  environment: {
    ...Object.fromEntries(
      Object.entries(process.env).filter(
        ([name, value]) => value !== undefined && !/^(npm_|PATH$|NODE_)/.test(name),
      ),
    ),
    NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS ?? '',
    npm_config_prefer_offline: 'true',
    // Without a manager of services, units are enabled all the same.
    SYSTEMD_OFFLINE: '1',
  },
};

beforeAll(async () => {
  ensureDebianPackages(['curl', 'git', 'procps', 'systemd']);
  origin = await mkdtemp(join(tmpdir(), 'portage-origin-'));
  machine = await startMachineCopy({ shows: [origin] });
  const files =
    'git ls-files -coz --exclude-standard | tar --null --ignore-failed-read -T - -cf - 2> /dev/null';
  await execute('bash', ['-c', `${files} | tar -C "${origin}" -xf -`], { cwd: ROOT });
  await commit('what is here now');
});
afterAll(async () => {
  await machine?.close();
  await removeFolder(origin);
});

async function commit(message: string): Promise<void> {
  const author = '-c user.name=Ada -c user.email=ada@example.ca';
  const script = `git init --quiet && git add --all && git ${author} commit --quiet --message '${message}'`;
  await execute('bash', ['-c', script], { cwd: origin });
}

/** The commands of the pages that begin so; there is at least one. */
function starting(beginning: string): string[] {
  const found = texts.filter((text) => text.startsWith(beginning));
  if (found.length === 0) throw new Error(`no page has ${beginning}`);
  return found;
}

/** A program that runs in the copy, and what it has said. */
interface Running {
  child: ChildProcess;
  said(): string;
  /** Ends it as a manager of services does. Returns its exit code and which of its processes are left. */
  stop(): Promise<{ code: number | null; left: string }>;
}

function follow(child: ChildProcess, of: MachineCopy): Running {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  const exit = new Promise<number | null>((ended) => child.once('exit', ended));
  return {
    child,
    said: () => said,
    async stop() {
      // The first of them: npm, where npm started it.
      await of.run("kill -TERM $(pgrep --oldest --full '^(npm start|portage )')");
      const code = await exit;
      const { stdout } = await of.run("pgrep --full --list-full '^(npm start|portage )' || true");
      return { code, left: stdout };
    },
  };
}

/** Waits until every process of the copy is ready. */
async function untilReady(of: MachineCopy, { child, said }: Running): Promise<void> {
  await pollUntil(
    async () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${said()}`);
      const { stdout } = await of.run('curl -s http://127.0.0.1:3000/readyz || true');
      return stdout === '' ? {} : (JSON.parse(stdout).processes as Record<string, string>);
    },
    (processes) => processes.console === 'ok' && Object.values(processes).every((state) => state === 'ok'),
    1200,
  );
}

/** Returns the settings of a unit by their names. */
async function readUnit(): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const line of (await readFile(join(machine.root, UNIT), 'utf8')).split('\n')) {
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name) found.set(name, [...(found.get(name) ?? []), value]);
  }
  return found;
}

/** The settings of a service, as systemd reads them. */
function parseSettings(text: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(text.matchAll(/^([A-Z]\w*)=(.*)$/gm), ([, name = '', value = '']) => [name, value]),
  );
}

describe('on a server', () => {
  let unit: Map<string, string[]>;
  const only = (name: string) => unit.get(name)?.join(' ') ?? '';

  /** Starts what the unit says: its user, rights, folders and settings, on a file system that is read-only but for its own folder. */
  async function startService(): Promise<Running> {
    const state = `/var/lib/${only('StateDirectory')}`;
    const user = only('User');
    await machine.mustRun(
      `install -d -o ${user} -g ${only('Group')} -m ${only('StateDirectoryMode')} ${state}`,
    );
    const settings = parseSettings(await readFile(join(machine.root, only('EnvironmentFile')), 'utf8'));
    const rights = only('AmbientCapabilities').toLowerCase().replaceAll('cap_', '+').replaceAll(' ', ',');
    const become =
      `setpriv --reuid=${user} --regid=${only('Group')} --init-groups --no-new-privs ` +
      `--bounding-set=-all,${rights} --inh-caps=-all,${rights} --ambient-caps=-all,${rights}`;
    const script = `
      mount --bind ${state} ${state}
      mount -t tmpfs tmpfs /tmp
      mount -o remount,bind,ro /
      cd ${only('WorkingDirectory')}
      exec ${become} ${only('ExecStart')}`;
    const child = machine.start(script, {
      as: ['unshare', '--mount'],
      environment: { ...parseSettings(only('Environment')), ...settings },
    });
    return follow(child, machine);
  }

  it.each(starting('git clone'))(
    '%s',
    async (block) => {
      await machine.mustRun(block.replace('ADDRESS', `file://${origin}`), outside);
      unit = await readUnit();
      expect(await machine.mustRun('stat -c "%a %U %G" /etc/portage.env')).toBe('640 root portage\n');
      expect(await machine.mustRun(`find ${PLACE} ! -user root -o -perm /022 ! -type l | head`)).toBe('');
    },
    300_000,
  );

  it('takes as much of the disk as the page says', async () => {
    const page = await readRepository('docs/installing.md');
    const told = Number(/Disk: (\d+) MB for `npm ci --omit=dev`/.exec(page)?.[1]);
    const taken = Number.parseInt(await machine.mustRun(`du -sm ${PLACE}/node_modules`), 10);
    expect(Math.abs(taken - told), `${taken} MB`).toBeLessThan(0.06 * told);
  });

  it('has a unit that systemd finds nothing to say about', async () => {
    expect(await machine.run(`systemd-analyze verify ${UNIT}`)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('has a unit that starts again until there is a database, and outlives a process that the system ends', async () => {
    const unit = (await machine.mustRun(`cat ${UNIT}`)).split('\n');
    const needed = ['StartLimitIntervalSec=0', 'Restart=on-failure', 'OOMPolicy=continue'];
    expect(unit).toEqual(expect.arrayContaining(needed));
  });

  it('serves with the settings of the page, is reloaded, upgraded and stopped, all as an unprivileged user', async () => {
    const page = await readRepository('docs/installing.md');
    const settings = fencedBlocks(page).find(({ language }) => language === 'dotenv')?.body ?? '';
    await appendFile(join(machine.root, 'etc', 'portage.env'), settings);
    // It is started below, as nothing here can start units.
    for (const command of starting('systemctl enable'))
      await machine.mustRun(command.replace(' --now', ''), outside);
    const enabled = '/etc/systemd/system/multi-user.target.wants/portage.service';
    expect(await machine.mustRun(`readlink ${enabled}`)).toContain(UNIT);
    const service = await startService();
    await untilReady(machine, service);
    expect(await machine.mustRun('ps -eo user:20,args')).toMatch(/^portage +portage edge/m);
    // The edges have the ports of the web and the name server its own.
    expect(await machine.mustRun('curl -s -o /dev/null -w "%{http_code}" http://127.0.0.1/')).toBe('404');
    for (const command of starting('cd /opt/portage\nrunuser')) await machine.mustRun(command);

    await writeFile(join(origin, 'CHANGELOG.md'), 'a newer release');
    await commit('a newer release');
    for (const command of starting('git pull')) await machine.mustRun(`cd ${PLACE}\n${DONE}\n${command}`);
    expect(await machine.mustRun(`cat ${PLACE}/CHANGELOG.md`)).toBe('a newer release');

    expect(starting('systemctl re')).toEqual(['systemctl restart portage', 'systemctl reload portage']);
    const reload = only('ExecReload').replace('$MAINPID', "$(pgrep --oldest --full '^portage ')");
    await machine.mustRun(reload);
    await pollUntil(
      async () => service.said(),
      (said) => said.includes('every process was replaced'),
      1200,
    );
    await untilReady(machine, service);
    expect(await service.stop()).toEqual({ code: 0, left: '' });
  });
});

describe('to look at it', () => {
  const tried = texts.filter((text) => /. npm start$/.test(text));

  it.each(tried)('%s', async (command) => {
    const child = machine.start(`cd ${PLACE}\n${DONE}\n${command}`, {
      environment: { DATA_DIR: '../looked-at' },
    });
    const running = follow(child, machine);
    await untilReady(machine, running);
    expect(await machine.mustRun('curl -s http://localhost:3000/login')).toContain('Portage');
    expect((await running.stop()).left).toBe('');
  });

  it('npm ci && npm test', async () => {
    // This very run.
    expect(texts).toContain('npm ci && npm test');
    expect((await readRepository('.ci/run')).trim().split('\n').at(-1)).toBe('npm ci && npm test');
  });
});

describe('in a container', () => {
  let image: Image;
  let container: Running;
  let host: MachineCopy;
  afterAll(() => host?.close());

  it.each(starting('podman build -t portage .\npodman run'))(
    '%s',
    async (block) => {
      const ignored = (await readRepository('.containerignore')).trim().split('\n');
      const [build = [], final = []] = parseStages(await readRepository('Containerfile'));
      // The node of the base image.
      const node = 'install -m 0755 node_modules/node/bin/node /usr/local/bin/node';
      await machine.mustRun(`cd ${PLACE}\n${node}\nmkdir -p /portage\nmv node_modules dist /portage`);
      const context = join(machine.root, PLACE);
      const built = await buildStage(machine, build, { context, ignored, before: DONE });
      host = await startMachineCopy();
      await execute('install', [
        '-m',
        '0755',
        `${machine.root}/usr/local/bin/node`,
        `${host.root}/usr/local/bin/node`,
      ]);
      image = await buildStage(host, final, { context, ignored, earlier: built.machine.root });

      const page = await readRepository('docs/installing.md');
      const told = Number(/takes (\d+) MB/.exec(page)?.[1]);
      const taken = Number.parseInt(await host.mustRun('du -sm /portage'), 10);
      expect(Math.abs(taken - told), `${taken} MB`).toBeLessThan(0.06 * told);

      const [, run = ''] = block.split('\n');
      container = await runContainer(run);
      await untilReady(host, container);
    },
    300_000,
  );

  /** Starts a container as `podman run` would with these options, and knows no others. */
  async function runContainer(line: string): Promise<Running> {
    const options = line.replace(/^podman run /, '').replace(/ portage$/, '');
    const ports = Array.from(options.matchAll(/-p \d+:(\d+)/g), ([, port = '']) => port);
    expect(image.ports).toEqual(expect.arrayContaining(ports));
    expect(options.replaceAll(/ -p \d+:\d+/g, '')).toBe(
      `--read-only --tmpfs /tmp -v portage:${image.volumes}`,
    );
    const script = `
      mount --bind /data /data
      mount -t tmpfs tmpfs /tmp
      mount -o remount,bind,ro /
      cd ${image.folder}
      exec ${become()} ${image.command.join(' ')}`;
    const child = host.start(script, { as: ['unshare', '--mount'], environment: image.environment });
    return follow(child, host);
  }

  const become = () =>
    `setpriv --reuid=${image.user} --regid=${image.user} --init-groups --no-new-privs --bounding-set=-all`;

  it('is found to be well, and takes an operator’s commands', async () => {
    const [check = '', ...args] = image.healthcheck;
    const script = `${become()} ${check} ${args.map((arg) => `'${arg}'`).join(' ')}`;
    await host.mustRun(script, { environment: image.environment });
    for (const command of starting('podman exec CONTAINER ')) {
      const inside = command.replace('podman exec CONTAINER ', `cd ${image.folder}; ${become()} `);
      await host.mustRun(inside, { environment: image.environment });
    }
  });

  it('ends with SIGTERM', async () => {
    expect(await container.stop()).toEqual({ code: 0, left: '' });
  });

  it('is described to compose in the words of the image', async () => {
    expect(starting('docker build')).toEqual(['docker build -f Containerfile -t portage .']);
    expect(starting('podman compose')).toEqual(['podman compose -f docs/examples/compose.yaml up --build']);
    const { services } = parse(await readRepository('docs/examples/compose.yaml'));
    const { portage } = services;
    expect(portage.build).toEqual({ context: '../..', dockerfile: 'Containerfile' });
    expect(portage.volumes).toEqual(image.volumes.map((folder) => `data:${folder}`));
    expect(portage).toMatchObject({ read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] });
    const inside = (portage.ports as string[]).map((port) => port.split(':').at(-1));
    expect(image.ports).toEqual(expect.arrayContaining(inside));
  });
});

describe('every other command of installing', () => {
  it('is one that was run above', () => {
    const alone = ['npm ci', 'npm ci --omit=dev', 'npm run build', 'npm start'];
    const blocks = [...starting('git clone'), ...starting('npm ci && npm start')].join('\n');
    for (const command of alone.filter((text) => texts.includes(text)))
      expect(blocks).toContain(command.replace(/^npm ci$/, 'npm ci --omit=dev'));
    const known =
      /^(git clone|git pull|cd \/opt\/portage\nrunuser|systemctl (enable|reload|restart)|podman (build|exec|compose)|docker build|npm ci && npm test$)|npm start$/;
    expect(texts.filter((text) => !known.test(text) && !alone.includes(text))).toEqual([]);
  });
});

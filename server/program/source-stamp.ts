import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a build depends on; any change of it makes the build stale. */
export interface Sources {
  /** Files and folders of the checkout. */
  paths: readonly string[];
  /** Whether a file in them is a source: tests, for one, are not. */
  isSource(file: string): boolean;
}

/** The sources of a build as they are now. */
export interface SourceState {
  /** A hash of their contents. Reads all of them. */
  contents(): string;
  /** A hash of their sizes and times of change: as long as it is the same, so are the contents. Reads none of them. */
  mark: string;
}

/** Returns the state of sources in a checkout. */
export function readSources(root: string, sources: Sources): SourceState {
  const files = listSources(root, sources);
  const mark = createHash('sha256');
  for (const file of files) {
    const { size, mtimeMs, ctimeMs } = statSync(file);
    mark.update(`${file} ${size} ${mtimeMs} ${ctimeMs}\n`);
  }
  return {
    mark: mark.digest('hex'),
    contents() {
      const hash = createHash('sha256');
      for (const file of files) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file));
      return hash.digest('hex');
    },
  };
}

/** Returns the text of a stamp, which identifies the sources of a build. */
export function stampOf(sources: SourceState): string {
  return `${sources.contents()}\n${sources.mark}\n`;
}

/**
 * Returns the hash of the contents when the stamp in a file is that of these sources, otherwise null. They are read only
 * if one may have changed since they were read last, so that a start costs little.
 */
export async function matchStamp(file: string, sources: SourceState): Promise<string | null> {
  const [contents = '', mark] = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  if (mark === sources.mark) return contents;
  const current = stampOf(sources);
  if (contents !== current.split('\n')[0]) return null;
  // In an installation of another user, each start compares the contents.
  await writeFile(file, current).catch(() => undefined);
  return contents;
}

function listSources(root: string, { paths, isSource }: Sources): string[] {
  return paths
    .flatMap((source) => {
      const path = join(root, source);
      if (!existsSync(path)) return [];
      if (!statSync(path).isDirectory()) return [path];
      return readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort();
    })
    .filter(isSource);
}

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the built pages depend on; any change makes the build stale. */
const SOURCES = [
  'app',
  'locales',
  'server/services',
  'server/error-codes.ts',
  'server/durations.ts',
  'server/console/client-chunks.ts',
  'server/console/drop-unused-styles.ts',
  'server/console/inline-texts.ts',
  'server/console/theme-styles.ts',
  'server/console/without-server-functions.ts',
  'app.config.ts',
  'lingui.config.ts',
  'package-lock.json',
];

/** The sources of the pages as they are now. */
export interface SourceState {
  /** A hash of their contents. Reads all of them. */
  contents(): string;
  /** A hash of their sizes and times of change: as long as it is the same, so are the contents. Reads none of them. */
  mark: string;
}

/** Returns the state of the sources of a checkout. */
export function readSources(root: string): SourceState {
  const files = listSources(root);
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

/** Returns the text of a stamp, which says what a build was made of. */
export function stampOf(sources: SourceState): string {
  return `${sources.contents()}\n${sources.mark}\n`;
}

/**
 * Whether the stamp in a file is that of these sources. Their contents are read only if one may have changed
 * since they were read last, so that a start costs little.
 */
export async function isStamped(file: string, sources: SourceState): Promise<boolean> {
  const [contents, mark] = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  if (mark === sources.mark) return true;
  const current = stampOf(sources);
  if (contents !== current.split('\n')[0]) return false;
  // In an installation of another user, each start compares the contents.
  await writeFile(file, current).catch(() => undefined);
  return true;
}

function listSources(root: string): string[] {
  return SOURCES.flatMap((source) => {
    const path = join(root, source);
    if (!existsSync(path)) return [];
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  }).filter(isSource);
}

/**
 * Of the services, only the client-safe leaves are in the pages; the build itself generates the route tree.
 */
function isSource(file: string): boolean {
  if (file.includes('/services/')) return /\/(schema|rules|[a-z-]+-rules)\.ts$/.test(file);
  return !file.includes('.test.') && !file.endsWith('routeTree.gen.ts');
}

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { matchStamp, type SourceState, stampOf } from './source-stamp.ts';

/** How many earlier builds are kept: running processes and open pages may still load parts of theirs. */
const EARLIER_BUILDS = 2;
/**
 * More are kept for this long after they were replaced: after several builds without a restart, the first is
 * still running.
 */
const REPLACED_STAYS_MS = 60 * 60_000;

/** What is built. */
const KINDS = ['pages', 'program'] as const;

const NAME_LENGTH = 16;
const UNFINISHED = '.unfinished';

/** Where the builds of one kind are, in folders named after their sources, and the stamp of the current one. */
export interface BuildPlaces {
  builds: string;
  stamp: string;
}

/** Returns the places of the builds of one kind in a checkout. */
export function buildPlaces(root: string, kind: (typeof KINDS)[number]): BuildPlaces {
  return { builds: join(root, 'dist', kind), stamp: join(root, 'dist', stampNameOf(kind)) };
}

/** Returns the folder of the build of these sources, or null when there is none. */
export async function findBuild(
  { builds, stamp }: BuildPlaces,
  sources: SourceState,
): Promise<string | null> {
  const contents = await matchStamp(stamp, sources);
  if (contents === null) return null;
  const folder = join(builds, nameOf(contents));
  return existsSync(folder) ? folder : null;
}

/** Returns the folder of the build that was made or found last, whatever the sources are now. */
export async function currentBuild({ builds, stamp }: BuildPlaces): Promise<string> {
  return join(builds, nameOf(await readFile(stamp, 'utf8')));
}

/**
 * Makes the build of these sources unless it exists. Removes all but the two builds before it and those of
 * the last hour, and anything that other programs have built beside them. A build appears only when it is
 * complete; the next build removes an incomplete one.
 */
export async function keepBuild(
  { builds, stamp }: BuildPlaces,
  sources: SourceState,
  compile: (folder: string) => Promise<void>,
): Promise<string> {
  // Changes during the build are not in it.
  const text = stampOf(sources);
  const folder = join(builds, nameOf(text));
  if (!existsSync(folder)) {
    const unfinished = `${folder}${UNFINISHED}`;
    await mkdir(builds, { recursive: true });
    await rm(unfinished, { recursive: true, force: true });
    await compile(unfinished);
    await rename(unfinished, folder);
  }
  // The age of a build is the time since it was last the current one.
  const now = new Date();
  const replaced = await currentBuild({ builds, stamp }).catch(() => null);
  for (const path of [replaced, folder]) if (path !== null && existsSync(path)) await utimes(path, now, now);
  await writeFile(stamp, text);
  await removeEarlier(builds, basename(folder));
  await removeForeign(dirname(builds));
  return folder;
}

/** Returns the folders of the builds that stay beside one, the newest first. */
export async function earlierBuilds(folder: string): Promise<string[]> {
  const builds = join(folder, '..');
  const names = await readdir(builds);
  const earlier = names.filter((name) => name !== basename(folder) && !name.endsWith(UNFINISHED));
  return newestFirst(earlier.map((name) => join(builds, name)));
}

const stampNameOf = (kind: string) => `${kind}.sha256`;

const nameOf = (stamp: string) => stamp.slice(0, NAME_LENGTH);

async function removeEarlier(builds: string, current: string): Promise<void> {
  const left = (await readdir(builds)).filter((name) => name.endsWith(UNFINISHED));
  const earlier = (await earlierBuilds(join(builds, current))).slice(EARLIER_BUILDS);
  const since = Date.now() - REPLACED_STAYS_MS;
  const old: string[] = [];
  for (const path of earlier) if ((await stat(path)).mtimeMs < since) old.push(path);
  for (const path of [...left.map((name) => join(builds, name)), ...old])
    await rm(path, { recursive: true, force: true });
}

/** Earlier programs put their builds elsewhere in the same folder. */
async function removeForeign(dist: string): Promise<void> {
  const own = new Set<string>(KINDS.flatMap((kind) => [kind, stampNameOf(kind)]));
  for (const name of await readdir(dist))
    if (!own.has(name)) await rm(join(dist, name), { recursive: true, force: true });
}

async function newestFirst(paths: string[]): Promise<string[]> {
  const ages = await Promise.all(paths.map(async (path) => ({ path, used: (await stat(path)).mtimeMs })));
  return ages.sort((one, other) => other.used - one.used).map(({ path }) => path);
}

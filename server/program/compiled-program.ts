import { fork } from 'node:child_process';
import { join } from 'node:path';
import { buildPlaces, currentBuild, findBuild } from './kept-builds.ts';
import { readSources, type Sources } from './source-stamp.ts';

/**
 * The program in a few files of JavaScript. A process that loads them instead of two thousand modules starts
 * in less than half the time and uses a fifth less memory. Each build has a folder named after its sources.
 * Earlier builds are kept for a while, so that running processes can still load their own parts while newer
 * code is put in place.
 */
const PROGRAM_SOURCES: Sources = {
  paths: ['server', 'db', 'package.json', 'package-lock.json'],
  isSource: (file) => !file.includes('.test.'),
};

/** What a process begins with, by the name of its file in the folder of a build. */
export const ENTRIES = {
  'prepare-start': 'server/start/prepare-start.ts',
  'run-process': 'server/start/run-process.ts',
  'run-single': 'server/start/run-single.ts',
  'run-command': 'server/operator/run-command.ts',
} as const;

/** Returns the sources of the program as they are now. */
export const readProgramSources = (root: string) => readSources(root, PROGRAM_SOURCES);

/** Where the builds of the program are. */
export const programPlaces = (root: string) => buildPlaces(root, 'program');

/** Returns the folder of the build of the current sources, or null when there is none. */
export function findProgram(root: string): Promise<string | null> {
  return findBuild(programPlaces(root), readProgramSources(root));
}

/**
 * Returns the folder of the build of the current sources, which another process makes if there is none: the compiler's
 * memory goes with it. Null when that process has reported why it cannot.
 */
export async function ensureProgram(root: string): Promise<string | null> {
  const found = await findProgram(root);
  if (found !== null) return found;
  const child = fork(join(import.meta.dirname, 'run-build.ts'));
  const code = await new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
    // It could not be started, as while its file is being replaced.
    child.once('error', () => resolve(1));
  });
  if (code !== 0) return null;
  return currentBuild(programPlaces(root));
}

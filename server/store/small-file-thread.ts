import { hash } from 'node:crypto';
import { closeSync, fsync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { parentPort } from 'node:worker_threads';
import { mapConcurrently } from '../work/map-concurrently.ts';
import { syncFileSystem } from './sync-file-system.ts';

/** A file to write under a temporary name, sync and rename. */
export interface SmallFile {
  temporaryPath: string;
  path: string;
  content: Uint8Array;
  /** The expected hash of the content; null when it has none of its own. */
  sha256: string | null;
}

/** The result of writing one file: null when it is written and synced. */
export type SmallFileFailure =
  | { kind: 'hash' }
  | { kind: 'error'; code: string | undefined; message: string };

/** A file without its content. */
type SmallFileName = Omit<SmallFile, 'content'>;

/** A message of files: their concatenated contents in a transferred buffer, and the size of each. */
export interface SmallFilePortion {
  files: (SmallFileName & { bytes: number })[];
  contents: Uint8Array<ArrayBuffer>;
}

/** The results for a message of files, in the same order. */
export type SmallFileAnswer = (SmallFileFailure | null)[];

/** From this many files on, one sync of the file system costs less than one per file. */
const SYNCED_TOGETHER_MIN = 64;
/**
 * Files of this thread that are synced concurrently, on the thread pool: file systems combine several into
 * one sync.
 */
const SYNCS_AT_ONCE = 6;
const sync = promisify(fsync);

// On a separate thread, calls that wait for the disk block nothing else.
parentPort?.on('message', async ({ files, contents }: SmallFilePortion) => {
  let end = 0;
  const withContent = files.map((file) => {
    const start = end;
    end += file.bytes;
    return { ...file, content: contents.subarray(start, end) };
  });
  parentPort?.postMessage(await writeFiles(withContent));
});

async function writeFiles(files: readonly SmallFile[]): Promise<SmallFileAnswer> {
  const failures = files.map(writeTemporary);
  const written = files.filter((_, index) => failures[index] === null);
  const [first] = written;
  const isSynced =
    first !== undefined &&
    written.length >= SYNCED_TOGETHER_MIN &&
    (await syncFileSystem(dirname(first.temporaryPath)));
  return mapConcurrently(
    [...files.entries()],
    SYNCS_AT_ONCE,
    async ([index, file]) => failures[index] ?? publish(file, isSynced),
  );
}

/** Writes a file under its temporary name, not synced. */
function writeTemporary({ temporaryPath, content, sha256 }: SmallFile): SmallFileFailure | null {
  if (sha256 !== null && hash('sha256', content) !== sha256) return { kind: 'hash' };
  try {
    const file = openSync(temporaryPath, 'wx', 0o600);
    try {
      for (let written = 0; written < content.byteLength; ) written += writeSync(file, content, written);
    } finally {
      closeSync(file);
    }
    return null;
  } catch (error) {
    return giveUp(temporaryPath, error);
  }
}

/** Gives a file its name, once it is synced. */
async function publish(
  { temporaryPath, path }: SmallFile,
  isSynced: boolean,
): Promise<SmallFileFailure | null> {
  try {
    if (!isSynced) await syncFile(temporaryPath);
    renameSync(temporaryPath, path);
    return null;
  } catch (error) {
    return giveUp(temporaryPath, error);
  }
}

async function syncFile(path: string): Promise<void> {
  const file = openSync(path, 'r+');
  try {
    await sync(file);
  } finally {
    closeSync(file);
  }
}

function giveUp(temporaryPath: string, error: unknown): SmallFileFailure {
  rmSync(temporaryPath, { force: true });
  const { code, message } = error as NodeJS.ErrnoException;
  return { kind: 'error', code, message };
}

import { hash } from 'node:crypto';
import { closeSync, fsync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { parentPort } from 'node:worker_threads';
import { mapConcurrently } from '../../concurrency/map-concurrently.ts';
import { syncFileSystem } from './sync-file-system.ts';

/** A file to write under a temporary name, sync and rename. */
export interface SmallFile {
  /**
   * Null where its name is not used before it is synced: then it is written in its place, and the folder is
   * synced with it.
   */
  temporaryPath: string | null;
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
export type SmallFileResponse = (SmallFileFailure | null)[];

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

async function writeFiles(files: readonly SmallFile[]): Promise<SmallFileResponse> {
  const failures = files.map(writeUnsynced);
  const written = files.filter((_, index) => failures[index] === null);
  const [first] = written;
  const isSynced =
    first !== undefined &&
    written.length >= SYNCED_TOGETHER_MIN &&
    (await syncFileSystem(dirname(firstPath(first))));
  // Folders are synced beside the files in them: file systems make one sync of both.
  const [ends, folders] = await Promise.all([
    mapConcurrently(
      [...files.entries()],
      SYNCS_AT_ONCE,
      async ([index, file]) => failures[index] ?? publish(file, isSynced),
    ),
    isSynced ? new Map<string, SmallFileFailure>() : syncFolders(written),
  ]);
  return ends.map((end, index) => end ?? folders.get(folderOf(files[index])) ?? null);
}

function firstPath({ temporaryPath, path }: SmallFile): string {
  return temporaryPath ?? path;
}

/** The folder that is synced with a file; none for a file that has a temporary name first. */
function folderOf(file: SmallFile | undefined): string {
  return file === undefined || file.temporaryPath !== null ? '' : dirname(file.path);
}

/** Syncs the folders of files that are written in their place. Returns those that could not be. */
async function syncFolders(files: readonly SmallFile[]): Promise<Map<string, SmallFileFailure>> {
  const failures = new Map<string, SmallFileFailure>();
  const folders = new Set(files.map(folderOf));
  folders.delete('');
  await Promise.all(
    [...folders].map((folder) =>
      syncPath(folder, 'r').catch((error: unknown) => failures.set(folder, toFailure(error))),
    ),
  );
  return failures;
}

/** Writes a file under its first name, not synced. */
function writeUnsynced(written: SmallFile): SmallFileFailure | null {
  const { content, sha256 } = written;
  if (sha256 !== null && hash('sha256', content) !== sha256) return { kind: 'hash' };
  const path = firstPath(written);
  try {
    const file = openSync(path, 'wx', 0o600);
    try {
      for (let done = 0; done < content.byteLength; ) done += writeSync(file, content, done);
    } finally {
      closeSync(file);
    }
    return null;
  } catch (error) {
    return giveUp(path, error);
  }
}

/** Gives a file its name, once it is synced. */
async function publish(file: SmallFile, isSynced: boolean): Promise<SmallFileFailure | null> {
  const path = firstPath(file);
  try {
    if (!isSynced) await syncPath(path, 'r+');
    if (path !== file.path) renameSync(path, file.path);
    return null;
  } catch (error) {
    return giveUp(path, error);
  }
}

async function syncPath(path: string, flags: 'r' | 'r+'): Promise<void> {
  const file = openSync(path, flags);
  try {
    await sync(file);
  } finally {
    closeSync(file);
  }
}

function giveUp(path: string, error: unknown): SmallFileFailure {
  rmSync(path, { force: true });
  return toFailure(error);
}

function toFailure(error: unknown): SmallFileFailure {
  const { code, message } = error as NodeJS.ErrnoException;
  return { kind: 'error', code, message };
}

import { hash } from 'node:crypto';
import { closeSync, fsync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { parentPort } from 'node:worker_threads';
import { mapConcurrently } from '../map-concurrently.ts';

/** A file to be written under a temporary name, synced and given its name. */
export interface SmallFile {
  temporaryPath: string;
  path: string;
  content: Uint8Array;
  /** What the content has to hash to; null where it has no hash of its own. */
  sha256: string | null;
}

/** How writing one file ended: null when it is there and synced. */
export type SmallFileFailure =
  | { kind: 'hash' }
  | { kind: 'error'; code: string | undefined; message: string };

/** Files in one message, and the answer in the same order. */
export interface SmallFilePortion {
  id: number;
  files: SmallFile[];
}
export interface SmallFileAnswer {
  id: number;
  failures: (SmallFileFailure | null)[];
}

/** Files of this thread that are being synced side by side, on the thread pool: file systems make one sync of several. */
const SYNCS_AT_ONCE = 6;
const sync = promisify(fsync);

// On a thread of its own nobody waits for calls that wait for the disk; only syncs take long enough to be worth a pool.
parentPort?.on('message', async ({ id, files }: SmallFilePortion) => {
  const failures = await mapConcurrently(files, SYNCS_AT_ONCE, writeFile);
  const answer: SmallFileAnswer = { id, failures };
  parentPort?.postMessage(answer);
});

async function writeFile({
  temporaryPath,
  path,
  content,
  sha256,
}: SmallFile): Promise<SmallFileFailure | null> {
  if (sha256 !== null && hash('sha256', content) !== sha256) return { kind: 'hash' };
  try {
    const file = openSync(temporaryPath, 'wx', 0o600);
    try {
      for (let written = 0; written < content.byteLength; ) written += writeSync(file, content, written);
      await sync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporaryPath, path);
    return null;
  } catch (error) {
    rmSync(temporaryPath, { force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    return { kind: 'error', code, message };
  }
}

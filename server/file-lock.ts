import { open, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isNodeError } from './errors.ts';
import { newToken } from './ids.ts';

/** How often a holder shows that it is alive, and after how much silence it counts as dead. */
export interface FileLockTimes {
  beatMs: number;
  staleMs: number;
}

const DEFAULT_TIMES: FileLockTimes = { beatMs: 2_000, staleMs: 20_000 };

/**
 * Runs `work` in one process at a time, among all that use this file. A holder renews the file as long as it
 * is alive: its process id would be meaningless after a restart of its container, where another process, or
 * the one that waits, has the same.
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  times: FileLockTimes = DEFAULT_TIMES,
): Promise<T> {
  const token = newToken();
  await takeLock(path, token, times);
  const beat = setInterval(() => {
    const now = new Date();
    // The file is gone when this holder was presumed dead; the work continues all the same.
    utimes(path, now, now).catch(() => undefined);
  }, times.beatMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    const holder = await readFile(path, 'utf8').catch(() => null);
    if (holder === token) await rm(path, { force: true });
  }
}

async function takeLock(path: string, token: string, { beatMs, staleMs }: FileLockTimes): Promise<void> {
  for (;;) {
    try {
      await writeFile(path, token, { flag: 'wx' });
      return;
    } catch (error) {
      if (!isNodeError(error) || error.code !== 'EEXIST') throw error;
    }
    const renewedAt = (await stat(path).catch(() => null))?.mtimeMs;
    if (renewedAt === undefined || Date.now() - renewedAt <= staleMs) await sleep(beatMs / 10);
    else if (await inherit(path, token, beatMs)) return;
  }
}

/**
 * Takes over the file of a dead holder and returns whether that succeeded. Of several that find it at the same time, the last to write its token
 * has it: removing the file instead would remove the one that another has just created.
 */
async function inherit(path: string, token: string, beatMs: number): Promise<boolean> {
  try {
    const file = await open(path, 'r+');
    try {
      await file.truncate();
      await file.writeFile(token);
    } finally {
      await file.close();
    }
    await sleep(beatMs);
    return (await readFile(path, 'utf8')) === token;
  } catch (error) {
    if (isNodeError(error) && error.code === 'ENOENT') return false;
    throw error;
  }
}

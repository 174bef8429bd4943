import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
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
    if (renewedAt !== undefined && Date.now() - renewedAt > staleMs) await rm(path, { force: true });
    else await new Promise((resolve) => setTimeout(resolve, beatMs / 10));
  }
}

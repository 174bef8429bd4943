import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isNodeError } from '#server/errors.ts';

/** A real file system that is small enough to fill. */
export interface SmallDisk {
  path: string;
  /** Fills all remaining space. */
  fill(): Promise<void>;
  /** Frees the space again. */
  free(): Promise<void>;
  unmount(): void;
}

const MIB = 1024 ** 2;

/**
 * Mounts a small file system in memory, or returns null where that is not permitted (it requires root on
 * Linux).
 */
export function mountSmallDisk(mebibytes: number): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), 'portage-small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    rmSync(path, { recursive: true });
    return null;
  }
  const ballast = join(path, 'ballast');
  return {
    path,
    async fill() {
      const file = await open(ballast, 'a');
      try {
        for (const piece of [MIB, 4096, 1]) await fillBy(file, Buffer.alloc(piece));
      } finally {
        await file.close();
      }
    },
    free: () => rm(ballast, { force: true }),
    unmount() {
      execFileSync('umount', ['-l', path]);
      rmSync(path, { recursive: true });
    },
  };
}

async function fillBy(file: { write(piece: Buffer): Promise<unknown> }, piece: Buffer): Promise<void> {
  for (;;) {
    try {
      await file.write(piece);
    } catch (error) {
      if (isNodeError(error) && error.code === 'ENOSPC') return;
      throw error;
    }
  }
}

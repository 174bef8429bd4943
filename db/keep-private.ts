import { chmodSync, statSync } from 'node:fs';

/**
 * Takes other users' rights to a file away, when there is such a file. What belongs to another user, or lies on a disk that
 * cannot be written to, stays as whoever put it there wants it.
 */
export function keepPrivate(path: string): void {
  try {
    const { mode } = statSync(path);
    if ((mode & 0o077) !== 0) chmodSync(path, 0o600);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'ENOENT' && code !== 'EPERM' && code !== 'EROFS') throw error;
  }
}

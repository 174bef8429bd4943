import { chmodSync, statSync } from 'node:fs';

/**
 * Removes other users' rights to a file, if it exists. A file of another user, or on a read-only disk, is
 * left as it is.
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

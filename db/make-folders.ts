import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder that an operator has named, and those around it that are missing, for this account only. `mkdir`
 * with `recursive` never returns for one below /proc: the system reports a folder as missing there that cannot be
 * created.
 * @throws the system's error when it cannot be created
 */
export function makeFolders(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    const isParentMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isParentMissing || dirname(path) === path) throw error;
    makeFolders(dirname(path));
    makeFolder(path);
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

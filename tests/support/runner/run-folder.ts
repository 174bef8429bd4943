import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';

/** Returns the place for files in memory when this many bytes are free there, else the one for temporary files. */
export function placeWithRoom(bytes: number): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= bytes ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/**
 * Makes a folder for the temporary files of a run, and removes it when the run ends, with what workers and
 * programs that were killed left in it. Other users can reach what is theirs in it, such as a name server.
 */
export function makeRunFolder(place: string): string {
  const folder = mkdtempSync(join(place, 'portage-run-'));
  chmodSync(folder, 0o711);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

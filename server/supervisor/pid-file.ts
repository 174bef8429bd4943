import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Records who supervises a DATA_DIR: the operator's `restart` signals it, and orphaned processes give way to
 * it.
 */
export function writePidFile(path: string): void {
  writeFileSync(`${path}.tmp`, `${process.pid}\n`);
  renameSync(`${path}.tmp`, path);
}

/** Returns the process id in the file; null when there is none. */
export function readPidFile(path: string): number | null {
  try {
    const id = Number(readFileSync(path, 'utf8'));
    return Number.isInteger(id) && id > 0 ? id : null;
  } catch {
    return null;
  }
}

/** Removes the file unless another supervisor has taken over. */
export function removePidFile(path: string): void {
  if (readPidFile(path) === process.pid) rmSync(path, { force: true });
}

/** The supervisor's title in a list of processes. */
export const SUPERVISOR_TITLE = 'portage supervisor';

/**
 * Returns the supervisor named in the file if it is running; a process id reused by another program does not
 * count.
 */
export function findSupervisor(path: string): number | null {
  const id = readPidFile(path);
  return id !== null && isSupervisor(id) ? id : null;
}

function isSupervisor(id: number): boolean {
  try {
    process.kill(id, 0);
    // Without /proc there is no way to tell what a process is.
    if (!existsSync('/proc/self/cmdline')) return true;
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').startsWith(SUPERVISOR_TITLE);
  } catch {
    return false;
  }
}

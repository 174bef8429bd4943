import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Tells who supervises a DATA_DIR: the operator's `restart` asks it, and processes whose supervisor died give way to it. */
export function writePidFile(path: string): void {
  writeFileSync(`${path}.tmp`, `${process.pid}\n`);
  renameSync(`${path}.tmp`, path);
}

/** Returns the process in the file; null when there is none. */
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

/** What the supervisor is called in a list of processes. */
export const SUPERVISOR_TITLE = 'portage supervisor';

/** Returns the supervisor named in the file if it runs; a number that now belongs to another program is not taken for it. */
export function findSupervisor(path: string): number | null {
  const id = readPidFile(path);
  return id !== null && isSupervisor(id) ? id : null;
}

function isSupervisor(id: number): boolean {
  try {
    process.kill(id, 0);
    // Without /proc nothing tells what a process is.
    if (!existsSync('/proc/self/cmdline')) return true;
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').startsWith(SUPERVISOR_TITLE);
  } catch {
    return false;
  }
}

import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';

/**
 * Records who supervises a DATA_DIR: the operator's `restart` signals it, and orphaned processes give way to
 * it.
 * @throws Error when there is no such file yet and none can be written, as on a full disk
 */
export function writePidFile(path: string): void {
  const content = `${process.pid}\n`;
  const temporary = `${path}.tmp`;
  try {
    writeFileSync(temporary, content);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    if (!existsSync(path)) throw error;
    writeInPlace(path, content);
  }
}

/** A full disk still takes what fits into the room of a file. A half-written number names nobody. */
function writeInPlace(path: string, content: string): void {
  const file = openSync(path, 'r+');
  try {
    writeSync(file, content, 0);
    ftruncateSync(file, content.length);
  } finally {
    closeSync(file);
  }
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

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The process that runs with a folder; the number is that of its own container. */
export interface Holder {
  process: number;
  host: string;
}

/** The low byte of SQLite's error codes says that another process has the lock. */
const SQLITE_BUSY = 5;

/** The locks of this process: collecting an open file would release its lock. */
const held: DatabaseSync[] = [];

/**
 * Takes the lock of a folder until this process ends, and returns whether it has it. The file is an empty
 * SQLite database, because Node itself cannot lock a file. The system releases the lock however the process
 * ends, and knows of other containers on the machine; a process id in a file does neither.
 * @throws Error when the file cannot be locked at all
 */
export function takeDataDir(dataDir: string): boolean {
  const lock = tryLock(dataDir);
  if (lock === null) return false;
  held.push(lock);
  return true;
}

/** Names this process as the one that runs with a folder. */
export function signDataDir(dataDir: string): void {
  const holder: Holder = { process: process.pid, host: hostname() };
  try {
    writeFileSync(signatureIn(dataDir), `${JSON.stringify(holder)}\n`);
  } catch {
    // The disk is full: the lock holds all the same, and a refused start names nobody.
  }
}

/** Whether a program has run with a folder that takes its lock. */
export function isSigned(dataDir: string): boolean {
  return existsSync(signatureIn(dataDir));
}

/** Whether a program runs with a folder now. */
export function isDataDirTaken(dataDir: string): boolean {
  if (!existsSync(lockIn(dataDir))) return false;
  const lock = tryLock(dataDir);
  lock?.close();
  return lock === null;
}

/** Returns the process that was the last to name itself; null when that is unknown. */
export function readHolder(dataDir: string): Holder | null {
  try {
    const { process, host } = JSON.parse(readFileSync(signatureIn(dataDir), 'utf8'));
    return typeof process === 'number' && typeof host === 'string' ? { process, host } : null;
  } catch {
    return null;
  }
}

const lockIn = (dataDir: string) => join(dataDir, 'program.lock');
const signatureIn = (dataDir: string) => join(dataDir, 'program.json');

function tryLock(dataDir: string): DatabaseSync | null {
  const file = new DatabaseSync(lockIn(dataDir), { timeout: 0 });
  try {
    // Nothing is ever written, so there is nothing that a journal could restore.
    file.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE');
    return file;
  } catch (error) {
    file.close();
    if (isBusy(error)) return null;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    (error.errcode & 0xff) === SQLITE_BUSY
  );
}

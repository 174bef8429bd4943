import { accessSync, constants } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolders } from '#db/make-folders.ts';
import { ConfigError } from '../config/config-error.ts';
import { isSigned, readHolder, signDataDir, takeDataDir } from '../supervisor/data-dir-lock.ts';
import { findSupervisor } from '../supervisor/pid-file.ts';

/** As long as a program that was asked to stop usually takes to finish. */
const STOPPING_MS_MAX = 5_000;
const LOOK_EVERY_MS = 50;

/** Takes the folder of the data for this process, or ends it with one sentence. */
export async function holdDataDirOrExit(dataDir: string): Promise<void> {
  await holdDataDir(dataDir).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
}

/**
 * Creates the folder of the data and takes it until this process ends. Two programs with one folder would
 * replace each other's processes and answer for each other. Waits for a program that is stopping.
 * @throws ConfigError when another one keeps running with the folder, or it cannot be used
 */
export async function holdDataDir(dataDir: string, stoppingMsMax = STOPPING_MS_MAX): Promise<void> {
  makeDataDir(dataDir);
  const deadline = performance.now() + stoppingMsMax;
  while (!take(dataDir)) {
    if (performance.now() >= deadline) throw inUse(dataDir, describeHolder(dataDir));
    await sleep(LOOK_EVERY_MS);
  }
  // A supervisor from before the lock outlives an upgrade in place, and is known by its file alone.
  if (!isSigned(dataDir)) {
    const pidFile = join(dataDir, 'supervisor.pid');
    for (let other = findOther(pidFile); other !== null; other = findOther(pidFile)) {
      if (performance.now() >= deadline) throw inUse(dataDir, `process ${other}`);
      await sleep(LOOK_EVERY_MS);
    }
  }
  signDataDir(dataDir);
}

function take(dataDir: string): boolean {
  try {
    return takeDataDir(dataDir);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(
      `DATA_DIR cannot be used: ${join(dataDir, 'program.lock')} cannot be locked (${reason}).`,
    );
  }
}

function describeHolder(dataDir: string): string {
  const holder = readHolder(dataDir);
  if (holder === null) return 'another process';
  return holder.host === hostname()
    ? `process ${holder.process}`
    : `process ${holder.process} on ${holder.host}`;
}

function inUse(dataDir: string, who: string): ConfigError {
  return new ConfigError(
    `DATA_DIR cannot be used: ${who} is running with ${dataDir} already. Stop it, or give this one a folder of its own.`,
  );
}

/** A new container gives its processes the numbers of those before. */
function findOther(pidFile: string): number | null {
  const id = findSupervisor(pidFile);
  return id === process.pid ? null : id;
}

/** @throws ConfigError naming the folder that cannot be created or written to */
function makeDataDir(path: string): void {
  try {
    makeFolders(path);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new ConfigError(`DATA_DIR cannot be used: this account cannot write to ${path}${reason}.`);
  }
}

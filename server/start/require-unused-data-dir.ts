import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../config/config-error.ts';
import { findSupervisor } from '../supervisor/pid-file.ts';

/** As long as a program that was asked to stop usually takes to finish. */
const STOPPING_MS_MAX = 5_000;
const LOOK_EVERY_MS = 100;

/**
 * Waits for a program that is stopping. A second supervisor would take over the file by which operator
 * commands find the first one, and only then fail at its ports.
 * @throws ConfigError when another supervisor keeps running with the folder
 */
export async function requireUnusedDataDir(
  dataDir: string,
  pidFile: string,
  stoppingMsMax = STOPPING_MS_MAX,
): Promise<void> {
  const deadline = performance.now() + stoppingMsMax;
  let other = findOtherSupervisor(pidFile);
  while (other !== null && performance.now() < deadline) {
    await sleep(LOOK_EVERY_MS);
    other = findOtherSupervisor(pidFile);
  }
  if (other === null) return;
  throw new ConfigError(
    `DATA_DIR cannot be used: process ${other} is running with ${dataDir} already. Stop it, or give this one a folder of its own.`,
  );
}

/** When an upgrade replaces processes, the supervisor in the file is the parent of this process. */
function findOtherSupervisor(pidFile: string): number | null {
  const id = findSupervisor(pidFile);
  return id === process.pid || id === process.ppid ? null : id;
}

import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PortClaim } from './messages.ts';

const TRY_EVERY_MS = 20;
/** Longer than orphaned processes need to notice that there is a new supervisor. */
const GIVE_UP_MS = 5_000;

/**
 * Resolves when a port can be listened on, or when it has been held for so long that the process that wants
 * it may report the error itself. Processes share a port by a handle that Node's cluster creates at the first
 * attempt and keeps, even when that failed: hence this check before.
 * @param onHeld called once when the port is held by another process
 */
export async function waitForPort(claim: PortClaim, onHeld: () => void): Promise<void> {
  const deadline = performance.now() + GIVE_UP_MS;
  let isHeld = false;
  while (!(await isFree(claim)) && performance.now() < deadline) {
    if (!isHeld) onHeld();
    isHeld = true;
    await sleep(TRY_EVERY_MS);
  }
}

function isFree({ port, address }: PortClaim): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    // Any other problem with the port is reported by the process that uses it.
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    probe.listen({ port, host: address }, () => probe.close(() => resolve(true)));
  });
}

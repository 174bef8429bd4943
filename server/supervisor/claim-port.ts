import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PortClaim } from './messages.ts';

const TRY_EVERY_MS = 20;
/** Longer than processes whose supervisor died need to notice that there is another one. */
const GIVE_UP_MS = 5_000;

/**
 * Resolves when a port can be listened on, or when it is held for so long that whoever wants it may say so itself. Processes share
 * a port by a handle that Node's cluster makes at the first attempt and keeps, also when that failed: hence the look before.
 * @param onHeld called once when somebody holds it
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
    // Whatever else is wrong with the port, its user will hear of it.
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    probe.listen({ port, host: address }, () => probe.close(() => resolve(true)));
  });
}

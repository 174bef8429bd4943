import { totalmem } from 'node:os';

/** Returns how many bytes of memory the program may use: those of the machine, or of the container that limits it. */
export function machineMemory(): number {
  // Without a limit it is 0, or more than any machine has.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

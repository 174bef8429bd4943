import { readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** In steps of `nice`: a third of the share of a process that serves visitors, when there is not enough for both. */
const STEPS_BEHIND = 5;

/**
 * Has the system run the processes that serve visitors before this one, as soon as they have something to do. Where it cannot be
 * told so, all are equal.
 */
export function yieldToVisitors(): void {
  try {
    const priority = Math.min(getPriority() + STEPS_BEHIND, constants.priority.PRIORITY_LOW);
    for (const thread of threads()) setPriority(thread, priority);
  } catch {
    // A thread has ended meanwhile, or the system allows no change.
  }
}

/** Linux has priorities of threads; those that begin later have that of the one that begins them. */
function threads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [process.pid];
  }
}

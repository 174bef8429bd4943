import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** In steps of `nice`: a third of the share of a process that serves visitors, when there is not enough for both. */
const STEPS_BEHIND = 5;
/** In thousandths of the memory (`oom_score_adj`, proc(5)): more than an edge ever has of a machine that runs out of it. */
const ENDED_BEFORE = 400;
const OOM_SCORE_MAX = 1_000;
const OOM_SCORE = '/proc/self/oom_score_adj';

/**
 * Has the system run the processes that serve visitors before this one, as soon as they have something to do, and end this one
 * before them when memory runs out. Where this cannot be set, all are equal.
 */
export function yieldToVisitors(): void {
  yieldTime();
  yieldMemory();
}

function yieldTime(): void {
  try {
    const priority = Math.min(getPriority() + STEPS_BEHIND, constants.priority.PRIORITY_LOW);
    for (const thread of threads()) setPriority(thread, priority);
  } catch {
    // A thread has ended meanwhile, or the system allows no change.
  }
}

function yieldMemory(): void {
  try {
    const score = Number(readFileSync(OOM_SCORE, 'utf8')) + ENDED_BEFORE;
    writeFileSync(OOM_SCORE, String(Math.min(score, OOM_SCORE_MAX)));
  } catch {
    // Other systems have no such file.
  }
}

/** On Linux, each thread has a priority of its own, which the threads that it starts inherit. */
function threads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [process.pid];
  }
}

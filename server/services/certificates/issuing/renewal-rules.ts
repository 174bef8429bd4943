const HOUR_MS = 3_600_000;

/** When an authority that did not answer is asked for a renewal window again. */
export const ASK_AGAIN_AFTER_FAILURE_MS = 6 * HOUR_MS;
const ASK_AGAIN_AFTER_MIN_MS = HOUR_MS;
const ASK_AGAIN_AFTER_MAX_MS = 24 * HOUR_MS;

/** Returns when to ask again: when the authority says, at least once a day, and not all the time. */
export function askAgainAt(wished: number, now: number): number {
  return Math.min(Math.max(wished, now + ASK_AGAIN_AFTER_MIN_MS), now + ASK_AGAIN_AFTER_MAX_MS);
}

/**
 * Returns when the next attempt begins once the renewal is planned for `renewAt`: then, unless attempts are failing
 * already and have a moment of their own.
 */
export function attemptAfterPlan(
  bundle: { attempts: number; next_issue_at: number | null },
  renewAt: number,
): number {
  return bundle.attempts > 0 && bundle.next_issue_at !== null ? bundle.next_issue_at : renewAt;
}

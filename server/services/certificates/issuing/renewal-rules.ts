import { HOUR_MS } from '#server/durations.ts';

/** When to ask an authority that did not respond for a renewal window again. */
export const ASK_AGAIN_AFTER_FAILURE_MS = 6 * HOUR_MS;
const ASK_AGAIN_AFTER_MIN_MS = HOUR_MS;
const ASK_AGAIN_AFTER_MAX_MS = 24 * HOUR_MS;

/** Returns when to ask again: when the authority says, but at least once a day and not too often. */
export function askAgainAt(wished: number, now: number): number {
  return Math.min(Math.max(wished, now + ASK_AGAIN_AFTER_MIN_MS), now + ASK_AGAIN_AFTER_MAX_MS);
}

/**
 * Returns when the next attempt begins once the renewal is planned for `renewAt`: at that time, unless
 * attempts are already failing and have their own schedule.
 */
export function attemptAfterPlan(
  bundle: { attempts: number; next_issue_at: number | null },
  renewAt: number,
): number {
  return bundle.attempts > 0 && bundle.next_issue_at !== null ? bundle.next_issue_at : renewAt;
}

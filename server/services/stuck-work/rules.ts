import { DAY_MS, HOUR_MS, MINUTE_MS } from '#server/durations.ts';

/**
 * Pauses after failures double from the first to the longest: an outage is over soon, a defect needs a
 * person.
 */
const PAUSE_FIRST_MS = MINUTE_MS;
const PAUSE_MAX_MS = 6 * HOUR_MS;

/**
 * What has not failed again for this long is gone or was fixed elsewhere, because it is retried several times
 * within that.
 */
export const STUCK_FORGOTTEN_AFTER_MS = 72 * HOUR_MS;

/** Longest stored reason. */
const STUCK_ERROR_MAX = 500;

/** Returns how long to wait after this many failures in a row. */
export function pauseAfter(attempts: number): number {
  return Math.min(PAUSE_FIRST_MS * 2 ** Math.min(attempts - 1, 20), PAUSE_MAX_MS);
}

/** The clocks of nodes may differ by this much. */
const CLOCKS_DIFFER_MS = MINUTE_MS;

/**
 * Whether what is to be retried at `until` is left alone for now. Beyond the longest pause it was planned by a
 * clock that was ahead, and is retried immediately.
 */
export function isPaused(until: number, now: number): boolean {
  return until > now && until <= now + PAUSE_MAX_MS + CLOCKS_DIFFER_MS;
}

/** Whether a failure that goes on has reached another day since it failed last, counted from when it began. */
export function isAnotherDay(
  { first_failed_at, failed_at }: { first_failed_at: number; failed_at: number },
  now: number,
): boolean {
  const dayOf = (at: number) => Math.floor((at - first_failed_at) / DAY_MS);
  return dayOf(now) !== dayOf(failed_at);
}

/** Returns why something failed, in one line of limited length. */
export function describeFailure(error: unknown): string {
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return words.replace(/\s+/g, ' ').slice(0, STUCK_ERROR_MAX);
}

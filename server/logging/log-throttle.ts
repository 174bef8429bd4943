import { MINUTE_MS } from '../durations.ts';

/**
 * Returns a function that says whether a subject may be logged now: once a minute for each, so that a
 * persistent problem does not fill the log.
 */
export function createLogThrottle(monotonic: () => number): (subject: string) => boolean {
  const last = new Map<string, number>();
  return (subject) => {
    const now = monotonic();
    if (now - (last.get(subject) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS) return false;
    last.set(subject, now);
    return true;
  };
}

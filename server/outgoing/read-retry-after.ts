/**
 * Returns the time in a Retry-After header (seconds or an HTTP date), not before `now` and at most `maxMs` after it;
 * null without one that can be read.
 */
export function readRetryAfter(header: string | undefined, now: number, maxMs: number): number | null {
  if (header === undefined) return null;
  const at = /^\s*\d+\s*$/.test(header) ? now + Number(header) * 1000 : Date.parse(header);
  return Number.isNaN(at) ? null : Math.min(Math.max(at, now), now + maxMs);
}

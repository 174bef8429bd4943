import { RateLimitExceeded, type RateLimitWindow } from '../../limits/rate-limits.ts';

/**
 * Returns the rate-limit headers of a response (draft-ietf-httpapi-ratelimit-headers, structured fields):
 * `RateLimit-Policy` with the quota (`q`) of each window and its length in seconds (`w`), and `RateLimit` with what
 * is left of it (`r`) and when it ends (`t`). Without any window there are no headers.
 */
export function toRateLimitHeaders(windows: readonly RateLimitWindow[]): Record<string, string> {
  // A request can count against the same limit twice; the later count is more accurate.
  const latest = [...new Map(windows.map((window) => [window.name, window])).values()];
  if (latest.length === 0) return {};
  const policies = latest.map(({ name, points, seconds }) => `"${name}";q=${points};w=${seconds}`);
  const states = latest.map(
    ({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`,
  );
  return { 'ratelimit-policy': policies.join(', '), ratelimit: states.join(', ') };
}

/** Returns the exhausted windows of errors thrown for that reason. */
export function windowsOfErrors(errors: readonly unknown[]): RateLimitWindow[] {
  return errors.flatMap((error) => (error instanceof RateLimitExceeded ? [error.window] : []));
}

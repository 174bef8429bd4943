import { RateLimitExceeded, type RateLimitWindow } from '../limits/rate-limits.ts';

/**
 * Returns how an answer says where its client stands (draft-ietf-httpapi-ratelimit-headers, structured fields): `RateLimit-Policy`
 * with the quota (`q`) of each window of so many seconds (`w`), and `RateLimit` with what is left of it (`r`) and when it
 * ends (`t`). Nothing was counted: no headers.
 */
export function toRateLimitHeaders(windows: readonly RateLimitWindow[]): Record<string, string> {
  // A request can meet the same limit twice; the later one knows more.
  const latest = [...new Map(windows.map((window) => [window.name, window])).values()];
  if (latest.length === 0) return {};
  const policies = latest.map(({ name, points, seconds }) => `"${name}";q=${points};w=${seconds}`);
  const states = latest.map(
    ({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`,
  );
  return { 'ratelimit-policy': policies.join(', '), ratelimit: states.join(', ') };
}

/** Returns the windows that are full, of errors that were raised for it. */
export function windowsOfErrors(errors: readonly unknown[]): RateLimitWindow[] {
  return errors.flatMap((error) => (error instanceof RateLimitExceeded ? [error.window] : []));
}

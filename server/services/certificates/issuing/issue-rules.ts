import { HOUR_MS, MINUTE_MS } from '#server/durations.ts';
import type { CertificateProblem } from '../rules.ts';
import { isRenewalDue } from './renewal-rules.ts';

const RETRY_FIRST_MS = MINUTE_MS;
const RETRY_MAX_MS = 12 * HOUR_MS;
const LIMIT_SPREAD_MS = 3 * HOUR_MS;
/** However near the end is: an authority counts failed validations by the hour. */
const RETRY_NEAR_END_MS = 15 * MINUTE_MS;

/**
 * Returns when a failed attempt is retried, or null when nothing is worth trying before a record changes:
 * then the inspection of the records decides. Delays double from one minute to twelve hours; a certificate
 * that nears its end is retried more often, at an eighth of the time left.
 * @param attempts failed attempts since the last success, this one included
 * @param random from 0 to 1, so that bundles which failed together do not all retry together
 */
export function nextAttemptAt(
  failure: { problem: CertificateProblem; retryAt: number | null },
  bundle: { attempts: number; validUntil: number | null },
  now: number,
  random: number,
): number | null {
  const { problem, retryAt } = failure;
  const { attempts, validUntil } = bundle;
  if (problem === 'challenge_missing' && validUntil === null) return null;
  const doubled = RETRY_FIRST_MS * 2 ** Math.min(Math.max(attempts, 1) - 1, 30);
  if (retryAt !== null && retryAt > now) {
    // Renewals that wait for the same limit are spread out; for a first certificate someone is waiting.
    const spreadMs = validUntil === null ? MINUTE_MS : Math.min(doubled, LIMIT_SPREAD_MS);
    return Math.ceil(retryAt + random * spreadMs);
  }
  const spread = Math.min(doubled, RETRY_MAX_MS) * (0.8 + 0.4 * random);
  const nearEnd =
    validUntil === null ? Number.POSITIVE_INFINITY : Math.max(RETRY_NEAR_END_MS, (validUntil - now) / 8);
  return Math.ceil(now + Math.min(spread, RETRY_MAX_MS, nearEnd));
}

/** Whether the certificate comes from this authority and is not due for renewal. */
export function isFresh(
  bundle: { authority: string | null; issued_at: number | null; renew_at: number | null },
  authorityName: string,
  now: number,
): boolean {
  return (
    bundle.issued_at !== null &&
    bundle.authority === authorityName &&
    bundle.renew_at !== null &&
    !isRenewalDue(bundle.renew_at, now)
  );
}

/** Pauses that grow by half, from the first to the longest, until they add up to the limit. */
export function* growingPauses(firstMs: number, longestMs: number, boundMs: number): Generator<number> {
  let total = 0;
  for (let pause = firstMs; total < boundMs; pause *= 1.5) {
    const ms = Math.min(pause, longestMs, boundMs - total);
    yield ms;
    total += ms;
  }
}

import { HOUR_MS, MINUTE_MS } from '#server/durations.ts';
import type { CertificateProblem } from '../rules.ts';

const RETRY_FIRST_MS = MINUTE_MS;
const RETRY_MAX_MS = 12 * HOUR_MS;
const LIMIT_SPREAD_MS = 3 * HOUR_MS;
/** However near the end is: an authority counts failed validations by the hour. */
const RETRY_NEAR_END_MS = 15 * MINUTE_MS;
/** A new certificate is not replaced immediately, whatever a window says: that would never end. */
const REST_AFTER_ISSUE_MS = HOUR_MS;

export interface Validity {
  validFrom: number;
  validUntil: number;
}

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

/**
 * Returns when a certificate is renewed: at a random time in the authority's window, otherwise when a third
 * of its lifetime is left, a little earlier for some. A time in the past means now, but never right after the
 * issue.
 */
export function renewalMoment(
  validity: Validity & { issuedAt: number },
  window: { start: number; end: number } | null,
  now: number,
  random: number,
): number {
  const lifetime = validity.validUntil - validity.validFrom;
  const third = lifetime / 3;
  const wanted =
    window === null
      ? validity.validUntil - third * (1 + random / 10)
      : window.start + random * Math.max(0, window.end - window.start);
  const earliest = validity.issuedAt + Math.min(REST_AFTER_ISSUE_MS, third);
  return Math.ceil(Math.max(wanted, earliest, Math.min(now, validity.validUntil)));
}

/**
 * Whether a planned renewal is still within the authority's window: then it stays, so that asking again does
 * not draw a new time.
 */
export function isWithinWindow(renewAt: number | null, window: { start: number; end: number }): boolean {
  return renewAt !== null && renewAt >= window.start && renewAt <= window.end;
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
    bundle.renew_at > now
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

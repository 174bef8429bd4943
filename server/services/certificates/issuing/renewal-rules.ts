import { HOUR_MS } from '#server/durations.ts';

/** When to ask an authority that did not respond for a renewal window again. */
export const ASK_AGAIN_AFTER_FAILURE_MS = 6 * HOUR_MS;
const ASK_AGAIN_AFTER_MIN_MS = HOUR_MS;
const ASK_AGAIN_AFTER_MAX_MS = 24 * HOUR_MS;
/** A new certificate is not replaced immediately, whatever a window says: that would never end. */
const REST_AFTER_ISSUE_MS = HOUR_MS;

export interface Validity {
  validFrom: number;
  validUntil: number;
}

/** When a certificate should be renewed according to its authority. */
interface RenewalWindow {
  start: number;
  end: number;
}

/**
 * Returns when a certificate is renewed: at a random time in the authority's window, otherwise when a third
 * of its lifetime is left, a little earlier for some. A time in the past means now, but never right after the
 * issue.
 */
export function renewalMoment(
  validity: Validity & { issuedAt: number },
  window: RenewalWindow | null,
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
 * Returns when a certificate is renewed once its authority has named a window again: as planned while that is
 * within the window, so that asking again does not draw a new time.
 */
export function replannedRenewal(
  renewAt: number | null,
  validity: Validity & { issuedAt: number },
  window: RenewalWindow,
  now: number,
  random: number,
): number {
  const isWithin = renewAt !== null && renewAt >= window.start && renewAt <= window.end;
  return isWithin ? renewAt : renewalMoment(validity, window, now, random);
}

/** Whether the time of a renewal has come; null before the first certificate. */
export function isRenewalDue(renewAt: number | null, now: number): boolean {
  return renewAt !== null && renewAt <= now;
}

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

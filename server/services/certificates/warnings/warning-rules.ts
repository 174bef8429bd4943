import { DAY_MS } from '#server/durations.ts';

/** A record that has been wrong for less may be work in progress. */
const WRONG_FOR_MS = DAY_MS;
const FAILURES_MIN = 3;
const AGAIN_AFTER_MS = 7 * DAY_MS;
/** After this long past the end, the certificate is evidently no longer wanted. */
const GIVEN_UP_AFTER_MS = 30 * DAY_MS;

/** How near the end of a certificate is, from far to past. */
const STAGES = ['early', 'soon', 'last', 'expired'] as const;
export type WarningStage = (typeof STAGES)[number];

/** A bundle with a certificate; times in epoch milliseconds. */
export interface WatchedBundle {
  valid_until: number;
  dns_problem_since: number | null;
  /** Failed attempts since the last success. */
  attempts: number;
  warned_at: number | null;
}

/** Returns how near the end of a certificate is at a moment. */
export function stageAt(validUntil: number, at: number): WarningStage {
  const daysLeft = (validUntil - at) / DAY_MS;
  if (daysLeft <= 0) return 'expired';
  if (daysLeft < 3) return 'last';
  return daysLeft < 14 ? 'soon' : 'early';
}

/**
 * Whether the organization must be warned that a certificate will not be renewed: a record has been wrong for
 * a day, or renewals keep failing within two weeks of the end, or it has expired. Once a week, and once more
 * whenever the end has come a stage nearer. An instant that far in the future is from a clock that was ahead.
 */
export function isWarningDue(bundle: WatchedBundle, now: number): boolean {
  const { valid_until, dns_problem_since, attempts, warned_at } = bundle;
  if (now >= valid_until + GIVEN_UP_AFTER_MS) return false;
  const stage = stageAt(valid_until, now);
  const isWrong = dns_problem_since !== null && Math.abs(now - dns_problem_since) >= WRONG_FOR_MS;
  const isFailing = attempts >= FAILURES_MIN && stage !== 'early';
  if (!isWrong && !isFailing && stage !== 'expired') return false;
  if (warned_at === null || Math.abs(now - warned_at) >= AGAIN_AFTER_MS) return true;
  return STAGES.indexOf(stage) > STAGES.indexOf(stageAt(valid_until, warned_at));
}

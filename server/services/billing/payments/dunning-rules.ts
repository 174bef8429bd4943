import { DAY_MS } from '#server/durations.ts';

/** Days after its issue on which an invoice is charged. */
const DUNNING_DAYS = [0, 3, 5, 7, 14] as const;

/**
 * Returns when an invoice that could not be charged now is attempted next, or null when it is left to people:
 * a new default card triggers another attempt immediately. A missed day is not made up.
 */
export function nextAttemptAt(finalizedAt: number, now: number): number | null {
  const next = DUNNING_DAYS.map((day) => finalizedAt + day * DAY_MS).find((at) => at > now);
  return next ?? null;
}

/** Why an invoice could not be charged. */
export const PAYMENT_PROBLEMS = ['declined', 'authentication', 'failed', 'no_payment_method'] as const;
export type PaymentProblem = (typeof PAYMENT_PROBLEMS)[number];

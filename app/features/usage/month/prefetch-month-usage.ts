import type { TrpcUtils } from '../../../trpc.ts';
import { type MonthUsageSubject, monthUsageInputs } from './month-usage-inputs.ts';

/** A page waits no longer than this for figures that it can also do without. */
const PATIENCE_MS = 30;

/** What a loader hands to `useMonthUsage`. */
export interface MonthUsageAsked {
  /** The instant that finds the figures again. */
  at: number;
  /** Whether the figures were there when the page was made. */
  isAnswered: boolean;
}

/**
 * Asks for a month to date while a page is made. Figures that are quick are on the page from the start; others follow it.
 */
export async function prefetchMonthUsage(
  trpc: TrpcUtils,
  subject: MonthUsageSubject,
): Promise<MonthUsageAsked> {
  const at = Date.now();
  const { month, days } = monthUsageInputs(subject, at);
  const { overview } = trpc.usage;
  const figures = Promise.all([overview.prefetch(month), overview.prefetch(days)]);
  await Promise.race([figures, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
  return { at, isAnswered: [month, days].every((input) => overview.getData(input) !== undefined) };
}

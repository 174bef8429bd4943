import type { TrpcUtils } from '../../../trpc.ts';
import { type MonthUsageSubject, monthUsageInputs } from './month-usage-inputs.ts';

/** A page waits no longer than this for numbers that it can also do without. */
const PATIENCE_MS = 30;

/** What a loader passes to `useMonthUsage`. */
export interface MonthUsageAsked {
  /** The time that identifies the query. */
  at: number;
  /** Whether the data was there when the page was rendered. */
  isAnswered: boolean;
}

/**
 * Requests the month to date while a page is rendered. Fast responses are on the page from the start; slow ones
 * follow.
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

import type { TrpcUtils } from '../../trpc.ts';
import { type MonthUsageSubject, monthUsageInputs } from './month-usage-inputs.ts';

/** A page waits no longer than this for figures that it can also do without. */
const PATIENCE_MS = 30;

/**
 * Asks for a month to date while a page is made, and returns the instant that `useMonthUsage` needs to find it again. Figures
 * that are quick are on the page from the start; others follow it.
 */
export async function prefetchMonthUsage(trpc: TrpcUtils, subject: MonthUsageSubject): Promise<number> {
  const now = Date.now();
  const { month, days } = monthUsageInputs(subject, now);
  const figures = Promise.all([trpc.usage.overview.prefetch(month), trpc.usage.overview.prefetch(days)]);
  await Promise.race([figures, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
  return now;
}

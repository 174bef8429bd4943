import { useHydrated } from '@tanstack/react-router';
import { trpc } from '../../../trpc.ts';
import { type MonthUsageSubject, monthUsageInputs } from './month-usage-inputs.ts';
import type { MonthUsageAsked } from './prefetch-month-usage.ts';

/** How often the numbers are read again while the page is visible. */
const GROWING_MS = 30_000;

/**
 * Returns the month to date and the last 30 days, as `prefetchMonthUsage` requested them. During hydration,
 * they are used only if they were there when the server rendered the page: they may have arrived in between,
 * and the page must be the same.
 */
export function useMonthUsage(subject: MonthUsageSubject, asked: MonthUsageAsked) {
  const inputs = monthUsageInputs(subject, asked.at);
  const isShown = useHydrated() || asked.isAnswered;
  const options = { refetchInterval: GROWING_MS };
  const month = trpc.usage.overview.useQuery(inputs.month, options);
  const days = trpc.usage.overview.useQuery(inputs.days, options);
  return {
    usage: isShown && month.data && days.data ? { month: month.data, days: days.data } : null,
    error: isShown ? (month.error ?? days.error) : null,
    isFetching: month.isFetching || days.isFetching,
    refetch: () => Promise.all([month.refetch(), days.refetch()]),
  };
}
export type MonthUsage = NonNullable<ReturnType<typeof useMonthUsage>['usage']>;

/** Whether there is nothing to show yet: neither this month nor in the days before. */
export function isWithoutTraffic({ month, days }: MonthUsage): boolean {
  return month.summary.total_requests === 0 && days.summary.total_requests === 0;
}

import { trpc } from '../../trpc.ts';
import { type MonthUsageSubject, monthUsageInputs } from './month-usage-inputs.ts';

/** How often the figures are read again while the page is in view. */
const GROWING_MS = 30_000;

/** Returns the month to date and the last 30 days, as `prefetchMonthUsage` asked for them at that instant. */
export function useMonthUsage(subject: MonthUsageSubject, askedAt: number) {
  const inputs = monthUsageInputs(subject, askedAt);
  const options = { refetchInterval: GROWING_MS };
  const month = trpc.usage.overview.useQuery(inputs.month, options);
  const days = trpc.usage.overview.useQuery(inputs.days, options);
  return {
    usage: month.data && days.data ? { month: month.data, days: days.data } : null,
    error: month.error ?? days.error,
    isFetching: month.isFetching || days.isFetching,
    refetch: () => Promise.all([month.refetch(), days.refetch()]),
  };
}
export type MonthUsage = NonNullable<ReturnType<typeof useMonthUsage>['usage']>;

/** Whether there is nothing to show yet: neither this month nor in the days before. */
export function isWithoutTraffic({ month, days }: MonthUsage): boolean {
  return month.summary.total_requests === 0 && days.summary.total_requests === 0;
}

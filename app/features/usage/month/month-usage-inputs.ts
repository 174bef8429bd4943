import { DAY_MS } from '#server/durations.ts';
import { formatDay } from '#server/services/usage/rules.ts';

/** Days that a sparkline shows, today included. */
export const SPARK_DAYS = 30;

/** Whose month is requested. */
export interface MonthUsageSubject {
  organization_id: string;
  site_id?: string;
}

/**
 * The queries of `trpc.usage.overview`: the month to date, and the last days for the sparklines. Pages
 * include both, so they are small.
 */
export function monthUsageInputs(subject: MonthUsageSubject, now: number) {
  const firstDay = formatDay(now - (SPARK_DAYS - 1) * DAY_MS);
  return {
    month: { ...subject, period: 'month' as const, resources_max: 1 },
    days: { ...subject, start_date: firstDay, resources_max: 0 },
  };
}

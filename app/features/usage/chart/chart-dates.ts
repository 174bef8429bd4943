import { formatDate } from '#server/services/shared/date-rules.ts';

export type Granularity = 'day' | 'hour';

const SHORT_DAY: Intl.DateTimeFormatOptions = { month: 'short', day: 'numeric' };
const HOUR: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit', hourCycle: 'h23' };

/**
 * Returns a point in time for an axis, in UTC: a day, or an hour; midnight is shown as the day that begins.
 */
export function formatTick(date: string, granularity: Granularity, locale: string): string {
  if (granularity === 'day' || new Date(date).getUTCHours() === 0) return formatDate(date, locale, SHORT_DAY);
  return formatDate(date, locale, HOUR);
}

/** Returns a point in time in full, in UTC: with the weekday, and the hour if it has one. */
export function formatPoint(date: string, granularity: Granularity, locale: string): string {
  const day = formatDate(date, locale, { weekday: 'short', year: 'numeric', ...SHORT_DAY });
  if (granularity === 'day') return day;
  return `${day}, ${formatDate(date, locale, HOUR)}`;
}

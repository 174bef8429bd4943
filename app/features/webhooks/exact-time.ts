import { formatDate } from '#server/services/shared/date-rules.ts';

/** "Since" and "until" need a date: "since 5 minutes ago" is no sentence. */
export function exactTime(instant: string, locale: string): string {
  return formatDate(instant, locale, { dateStyle: 'long', timeStyle: 'short' });
}

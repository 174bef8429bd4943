import { formatDateRange } from '#server/services/shared/date-rules.ts';

/**
 * Returns UTC days from the first to the last, both included, for people: "Nov 1 – 21, 2026". A single day is
 * written as one. The inputs have the form `2026-11-21`.
 */
export function formatDayRange(start: string, end: string, locale: string): string {
  return formatDateRange(start, end, locale).replace(/ ?– ?/, ' – ');
}

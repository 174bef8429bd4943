/** Spaces that one version of the locale data puts around a dash and another does not: server and browser must agree. */
const UNUSUAL_SPACES = /[\u2009\u202f]/g;

/**
 * Returns UTC days from the first to the last, both included, as people read them: "Nov 1 – 21, 2026". A single day is
 * written as one. The days are written `2026-11-21`.
 */
export function formatDayRange(start: string, end: string, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const range = format.formatRange(new Date(start), new Date(end));
  return range.replace(UNUSUAL_SPACES, ' ').replace(/ ?– ?/, ' – ');
}

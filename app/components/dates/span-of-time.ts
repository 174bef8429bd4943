/** Each unit with its length, and how many of it are written at most. */
const UNITS: [unit: Intl.RelativeTimeFormatUnit, ms: number, most?: number][] = [
  ['minute', 60_000, 59],
  ['hour', 3_600_000, 23],
  ['day', 86_400_000, 29],
  ['month', 2_592_000_000, 11],
  ['year', 31_536_000_000],
];

/**
 * Returns a span of time, of a minute or more, as "3 hours ago" or "in 3 hours". It says how much time lies between, and never names a
 * day: at two in the morning, 30 hours ago was not yesterday.
 */
export function formatSpan(differenceMs: number, locale: string): string {
  let words = '';
  for (const [unit, ms, most = 0] of UNITS) {
    // Rounded first: 59 minutes and a half are an hour, and not 60 minutes.
    const amount = Math.round(differenceMs / ms);
    words = new Intl.RelativeTimeFormat(locale).format(amount, unit);
    if (Math.abs(amount) <= most) break;
  }
  return words;
}

/** The periods of the usage panel (spec/console.md, section 7): since the first, since Monday, today; or dates. */
export const PERIODS = ['month', 'week', 'day', 'custom'] as const;
export type Period = (typeof PERIODS)[number];

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** How long hours are kept; days are kept for ever. */
export const HOURS_KEPT_MS = 90 * DAY_MS;
/** Files are listed for as long as hours. */
export const PATHS_KEPT_MS = HOURS_KEPT_MS;
/** Files kept for each host and day once the day is over. */
export const PATHS_KEPT_PER_DAY = 200;
/** Days of the longest range. */
export const RANGE_DAYS_MAX = 400;
/** Days of the longest range by the hour. */
export const HOURLY_RANGE_DAYS_MAX = 7;
/** Days before today in which one endpoint is looked at (spec/console.md, section 9). */
const ENDPOINT_WINDOW_DAYS = 30;
/** Ranges up to this many days are drawn by the hour. */
const HOURLY_POINTS_DAYS_MAX = 2;

/** What is counted, as columns. */
export const COUNTERS = [
  'bytes_sent',
  'requests',
  'cache_hits',
  'cache_misses',
  'status_2xx',
  'status_3xx',
  'status_4xx',
  'status_5xx',
  'refused_requests',
  'refused_bytes',
] as const;
export type Counter = (typeof COUNTERS)[number];

/** Returns the beginning of the UTC hour of an instant. */
export function hourOf(epochMs: number): number {
  return Math.floor(epochMs / HOUR_MS) * HOUR_MS;
}

/** Returns the beginning of the UTC day of an instant. */
export function dayOf(epochMs: number): number {
  return Math.floor(epochMs / DAY_MS) * DAY_MS;
}

/** Returns a UTC day as it is written: `2026-11-21`. */
export function formatDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

/** Returns the UTC day of a date or an instant that was written. */
export function toUsageDay(written: string): string {
  return formatDay(Date.parse(written));
}

/** Days, from the beginning of the first to the end of the last: epoch milliseconds, half-open. */
export interface UsageRange {
  start: number;
  end: number;
}

/** What a range was asked for by. */
export interface RangeWords {
  period?: Period | undefined;
  start_date?: string | undefined;
  end_date?: string | undefined;
  cdn_endpoint_id?: string | undefined;
}

/** Returns the days that were asked for. Dates win over a period; all days are UTC, weeks begin on Monday (ISO 8601). */
export function rangeOf(words: RangeWords, now: number): UsageRange {
  const today = dayOf(now);
  if (words.start_date !== undefined) {
    const start = Date.parse(words.start_date);
    const last = words.end_date === undefined ? Math.max(today, start) : Date.parse(words.end_date);
    return { start, end: last + DAY_MS };
  }
  return { start: startOf(words, today), end: today + DAY_MS };
}

function startOf({ period, cdn_endpoint_id }: RangeWords, today: number): number {
  if (period === undefined && cdn_endpoint_id !== undefined) return today - ENDPOINT_WINDOW_DAYS * DAY_MS;
  const date = new Date(today);
  switch (period) {
    case 'day':
      return today;
    case 'week':
      return today - ((date.getUTCDay() + 6) % 7) * DAY_MS;
    default:
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
  }
}

/**
 * Returns the instants, half-open, that a range up to now is compared with: the same stretch of the month before for a
 * month, otherwise the same length of time right before it.
 */
export function rangeBefore(words: RangeWords, range: UsageRange, now: number): UsageRange {
  const until = Math.min(range.end, Math.max(now, range.start));
  const isMonth =
    words.start_date === undefined && startOf(words, dayOf(now)) === startOf({ period: 'month' }, dayOf(now));
  if (!isMonth || words.period === 'day' || words.period === 'week') {
    const length = range.end - range.start;
    return { start: range.start - length, end: until - length };
  }
  const first = new Date(range.start);
  const start = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() - 1);
  return { start, end: Math.min(start + (until - range.start), range.start) };
}

/** Whether a range is drawn by the hour or by the day. */
export function pointsOf({ start, end }: UsageRange, now: number): 'hour' | 'day' {
  const isKept = start >= now - HOURS_KEPT_MS;
  return isKept && end - start <= HOURLY_POINTS_DAYS_MAX * DAY_MS ? 'hour' : 'day';
}

/** Days of a range. */
export function daysIn({ start, end }: UsageRange): number {
  return (end - start) / DAY_MS;
}

/** The share of requests answered from memory as a whole percent, or null without any (spec/console.md, section 9). */
export function cacheHitRate(hits: number, misses: number): number | null {
  return hits + misses === 0 ? null : Math.round((hits / (hits + misses)) * 100);
}

/** How much more than before, as a whole percent; null where there was nothing before. */
export function growth(now: number, before: number): number | null {
  return before === 0 ? null : Math.round(((now - before) / before) * 100);
}

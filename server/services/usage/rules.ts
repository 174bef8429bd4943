import { DAY_MS, HOUR_MS } from '#server/durations.ts';
/** The periods of the usage panel: since the first, since Monday, today; or dates. */
export const PERIODS = ['month', 'week', 'day', 'custom'] as const;
export type Period = (typeof PERIODS)[number];

/** What a row or a point represents. */
export const GRANULARITIES = ['day', 'hour'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** How long hours are kept; days are kept forever. */
export const HOURS_KEPT_MS = 90 * DAY_MS;
/** Files are listed for as long as hours. */
export const PATHS_KEPT_MS = HOURS_KEPT_MS;
/** Files kept for each host and day once the day is over. */
export const PATHS_KEPT_PER_DAY = 50;
/** Roughly how many files of a host are listed during the day; after that only these are counted. */
export const PATHS_LISTED_PER_DAY = 5_000;
/** The longest range in days. */
export const RANGE_DAYS_MAX = 400;
/** The longest range by the hour, in days. */
export const HOURLY_RANGE_DAYS_MAX = 7;
/** The default range of one endpoint in days, today included. */
const ENDPOINT_WINDOW_DAYS = 30;
/** Ranges up to this many days are plotted by the hour. */
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

/** Formats the start of a day or an hour: `2026-11-21`, `2026-11-21T14:00:00.000Z`. */
export function formatBeginning(granularity: Granularity, epochMs: number): string {
  return granularity === 'day' ? formatDay(epochMs) : new Date(epochMs).toISOString();
}

/** Formats a UTC day: `2026-11-21`. */
export function formatDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

/** Returns the UTC day of a written date or instant. */
export function toUsageDay(written: string): string {
  return formatDay(Date.parse(written));
}

/** Days, from the start of the first to the end of the last: epoch milliseconds, half-open. */
export interface UsageRange {
  start: number;
  end: number;
}

/** The parameters of a range. */
export interface RangeRequest {
  period?: Period | undefined;
  start_date?: string | undefined;
  end_date?: string | undefined;
  cdn_endpoint_id?: string | undefined;
}

/**
 * Returns the requested days. Dates take precedence over a period; all days are UTC, weeks begin on Monday
 * (ISO 8601).
 */
export function rangeOf(requested: RangeRequest, now: number): UsageRange {
  const today = dayOf(now);
  if (requested.start_date !== undefined) {
    const start = Date.parse(requested.start_date);
    const last = requested.end_date === undefined ? Math.max(today, start) : Date.parse(requested.end_date);
    return { start, end: last + DAY_MS };
  }
  const date = new Date(today);
  switch (kindOf(requested)) {
    case 'day':
      return { start: today, end: today + DAY_MS };
    case 'week':
      return { start: today - ((date.getUTCDay() + 6) % 7) * DAY_MS, end: today + DAY_MS };
    case 'window':
      return { start: today - (ENDPOINT_WINDOW_DAYS - 1) * DAY_MS, end: today + DAY_MS };
    default:
      return { start: firstOfMonth(today, 0), end: today + DAY_MS };
  }
}

/** How a range was requested; `window` is the last 30 days of one endpoint. */
function kindOf({ period, start_date, cdn_endpoint_id }: RangeRequest): Period | 'window' {
  if (start_date !== undefined) return 'custom';
  if (period !== undefined) return period;
  return cdn_endpoint_id === undefined ? 'month' : 'window';
}

function firstOfMonth(epochMs: number, monthsLater: number): number {
  const date = new Date(epochMs);
  return date.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + monthsLater, 1);
}

/**
 * Returns the instants, half-open, with which a range up to now is compared: the same part of the month, week
 * or day before; for dates, the same length of time right before them. Where its hours are no longer kept, it
 * ends with a whole day.
 */
export function rangeBefore(requested: RangeRequest, range: UsageRange, now: number): UsageRange {
  const kind = kindOf(requested);
  const elapsed = Math.min(range.end, Math.max(now, range.start)) - range.start;
  const start = kind === 'month' ? firstOfMonth(range.start, -1) : range.start - comparedLength(kind, range);
  const end = Math.min(start + elapsed, range.start);
  const lastDay = dayOf(end);
  return { start, end: end > lastDay && lastDay < now - HOURS_KEPT_MS ? lastDay + DAY_MS : end };
}

function comparedLength(kind: Period | 'window', { start, end }: UsageRange): number {
  if (kind === 'day') return DAY_MS;
  return kind === 'week' ? 7 * DAY_MS : end - start;
}

/** Whether a range is plotted by the hour or by the day. */
export function pointsOf({ start, end }: UsageRange, now: number): Granularity {
  const isKept = start >= now - HOURS_KEPT_MS;
  return isKept && end - start <= HOURLY_POINTS_DAYS_MAX * DAY_MS ? 'hour' : 'day';
}

/** Days of a range. */
export function daysIn({ start, end }: UsageRange): number {
  return (end - start) / DAY_MS;
}

/** The share of requests served from memory as a whole percent, or null without any. */
export function cacheHitRate(hits: number, misses: number): number | null {
  return hits + misses === 0 ? null : Math.round((hits / (hits + misses)) * 100);
}

/** The increase as a whole percent; null when there was nothing before. */
export function growth(now: number, before: number): number | null {
  return before === 0 ? null : Math.round(((now - before) / before) * 100);
}

import { DAY_MS } from '#server/durations.ts';
import { RANGE_DAYS_MAX } from '#server/services/usage/rules.ts';
import { idParam, readSearch, textParam } from '../../search-params.ts';
import { sortParam } from './table/table-sort.ts';

/** The periods to choose from, in order. */
export const PANEL_PERIODS = ['month', 'week', 'day'] as const;
export type PanelPeriod = (typeof PANEL_PERIODS)[number];

/** Why two days are not a range. */
export type DayRangeProblem = 'start_missing' | 'end_missing' | 'order' | 'too_long';

/** One of the periods; this month, the default, counts as absent. */
function periodParam(value: unknown): Exclude<PanelPeriod, 'month'> | undefined {
  return value === 'week' || value === 'day' ? value : undefined;
}

/** An existing day, such as `2026-02-28`. */
export function dayParam(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  const time = Date.parse(value);
  // The 30th of February is parsed as a day of March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value) ? value : undefined;
}

const tableSearch = { search: textParam, sort: sortParam };

/**
 * The search parameters of the billing page; `limit` is the spending limit that is being changed, or `new`.
 */
export const billingSearch = readSearch({ period: periodParam, ...tableSearch, limit: idParam });

const readUsageSearch = readSearch({
  period: periodParam,
  start_date: dayParam,
  end_date: dayParam,
  site_id: idParam,
  cdn_endpoint_id: idParam,
  ...tableSearch,
});
export type UsageSearch = ReturnType<typeof readUsageSearch>;

/**
 * The search parameters of the usage page: a period, or two days, both included, possibly of one site or
 * endpoint. Invalid ranges count as absent.
 */
export function usageSearch(search: Record<string, unknown>): UsageSearch {
  const read = readUsageSearch(search);
  const isRange = dayRangeProblem(read.start_date, read.end_date) === null;
  return isRange ? read : { ...read, start_date: undefined, end_date: undefined };
}

/** Returns the problem with a range of two days by the rules of the server, or null. */
export function dayRangeProblem(start: string | undefined, end: string | undefined): DayRangeProblem | null {
  if (!start) return 'start_missing';
  if (!end) return 'end_missing';
  if (end < start) return 'order';
  return (Date.parse(end) - Date.parse(start)) / DAY_MS + 1 > RANGE_DAYS_MAX ? 'too_long' : null;
}

/** Returns the days that an address names, or null. */
export function customDaysOf({ start_date, end_date }: UsageSearch) {
  return start_date && end_date ? { start_date, end_date } : null;
}

/** The one site or endpoint that usage is filtered by; both absent for the whole organization. */
export interface UsageSubject {
  site_id?: string;
  cdn_endpoint_id?: string;
}

/** Returns the filter of an address. */
export function subjectOf({ site_id, cdn_endpoint_id }: UsageSearch): UsageSubject {
  return { ...(site_id && { site_id }), ...(cdn_endpoint_id && { cdn_endpoint_id }) };
}

/** Returns the query of an address for `trpc.usage.overview`. */
export function rangeOfSearch(search: UsageSearch, organizationId: string) {
  const days = customDaysOf(search);
  const range = days ?? { period: search.period ?? ('month' as const) };
  return { organization_id: organizationId, ...range, ...subjectOf(search) };
}

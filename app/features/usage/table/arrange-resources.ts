import { unicodeHostname } from '#server/services/cdn/unicode-hostname-rules.ts';
import { matchesQuery } from '#server/services/shared/search-rules.ts';
import { cacheHitRate } from '#server/services/usage/rules.ts';
import type { UsageResource } from '#server/services/usage/schema.ts';
import { readSort, type SortColumn, type TableSort } from './table-sort.ts';

/** Returns a row's failed requests, both 4xx and 5xx. */
export function errorsOf(row: Pick<UsageResource, 'total_status_4xx' | 'total_status_5xx'>): number {
  return row.total_status_4xx + row.total_status_5xx;
}

/**
 * Returns the rows whose name contains every word of the search, in the requested order; names decide between
 * equals.
 */
export function arrangeResources(
  rows: readonly UsageResource[],
  { search, sort }: { search: string; sort: TableSort },
  locale: string,
): UsageResource[] {
  const { column, isAscending } = readSort(sort);
  const names = new Intl.Collator(locale, { numeric: true });
  const byName = (a: UsageResource, b: UsageResource) => names.compare(a.name, b.name);
  const compare = (a: UsageResource, b: UsageResource) =>
    column === 'name' ? byName(a, b) : FIGURES[column](a) - FIGURES[column](b);
  return rows
    .filter(({ name }) => matchesQuery(search, `${name} ${unicodeHostname(name) ?? ''}`))
    .sort((a, b) => (isAscending ? compare(a, b) : compare(b, a)) || byName(a, b));
}

const FIGURES: Record<Exclude<SortColumn, 'name'>, (row: UsageResource) => number> = {
  requests: (row) => row.total_requests,
  bandwidth: (row) => row.total_bytes_sent,
  // Those without a rate come after those without hits.
  hit_rate: (row) => cacheHitRate(row.total_cache_hits, row.total_cache_misses) ?? -1,
  errors: errorsOf,
};

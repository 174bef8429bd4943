import { sql } from 'kysely';
import type { UsageTotals } from './schema.ts';

/** Zero for every counter, by its wire name. */
export const noTotals: UsageTotals = {
  total_bytes_sent: 0,
  total_requests: 0,
  total_cache_hits: 0,
  total_cache_misses: 0,
  total_status_2xx: 0,
  total_status_3xx: 0,
  total_status_4xx: 0,
  total_status_5xx: 0,
  total_refused_requests: 0,
  total_refused_bytes_sent: 0,
};

/** The names of {@link noTotals}, in its order. */
export const TOTAL_NAMES = Object.keys(noTotals) as readonly (keyof UsageTotals)[];

/** The columns of hours and days under their wire names. */
export const TOTAL_COLUMNS = [
  'bytes_sent as total_bytes_sent',
  'requests as total_requests',
  'cache_hits as total_cache_hits',
  'cache_misses as total_cache_misses',
  'status_2xx as total_status_2xx',
  'status_3xx as total_status_3xx',
  'status_4xx as total_status_4xx',
  'status_5xx as total_status_5xx',
  'refused_requests as total_refused_requests',
  'refused_bytes as total_refused_bytes_sent',
] as const;

/** The sums of {@link TOTAL_COLUMNS} over the rows of `counted`, as columns. */
export const totalSums = TOTAL_NAMES.map((name) =>
  sql<number>`cast(coalesce(sum(${sql.ref(`counted.${name}`)}), 0) as bigint)`.as(name),
);

/**
 * Returns the sum of any number of totals, without other fields of their rows. Spelled out, because a loop
 * over names takes ten times as long, and there are tens of thousands of rows.
 */
export function sumTotals(rows: Iterable<UsageTotals>): UsageTotals {
  const sum = { ...noTotals };
  for (const row of rows) {
    sum.total_bytes_sent += row.total_bytes_sent;
    sum.total_requests += row.total_requests;
    sum.total_cache_hits += row.total_cache_hits;
    sum.total_cache_misses += row.total_cache_misses;
    sum.total_status_2xx += row.total_status_2xx;
    sum.total_status_3xx += row.total_status_3xx;
    sum.total_status_4xx += row.total_status_4xx;
    sum.total_status_5xx += row.total_status_5xx;
    sum.total_refused_requests += row.total_refused_requests;
    sum.total_refused_bytes_sent += row.total_refused_bytes_sent;
  }
  return sum;
}

import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { beginReading, findSeries, type NamedSeries, seriesOf } from './queries.ts';
import { type CountedRow, readInTurns } from './read-counted.ts';
import { invalidRange, requireRange } from './require-range.ts';
import { formatBeginning, formatDay, type Granularity, HOURLY_RANGE_DAYS_MAX } from './rules.ts';
import { type UsageRow, type UsageStats, usageStatsInput } from './schema.ts';
import { sumTotals } from './totals.ts';

/** The most rows in one response; a CSV is not limited. */
const ROWS_MAX = 100_000;

/**
 * Returns the usage of a range, one row for each day (or hour) and each endpoint or site's platform names,
 * newest last, and the sum of all rows. A credential sees the rows of the sites in its scopes.
 * @throws permission_required, invalid_input for a range too long or with too many rows, endpoint_not_found, site_not_found,
 * out_of_scope
 */
export async function getUsageStats(
  context: OrganizationContext,
  input: z.input<typeof usageStatsInput>,
): Promise<UsageStats> {
  requireAction(context, 'usage.read');
  const requested = usageStatsInput.parse(input);
  const { granularity } = requested;
  const { app } = context;
  const daysMax = granularity === 'hour' ? HOURLY_RANGE_DAYS_MAX : undefined;
  const range = requireRange(requested, app.clock.now(), daysMax);
  const condition = await seriesOf(app.db, context, requested);
  const rows: CountedRow[] = [];
  const query = { granularity, range, condition, rowsMax: ROWS_MAX + 1 };
  for await (const part of readInTurns(beginReading(context), query)) {
    for (const row of part) rows.push(row);
    if (rows.length > ROWS_MAX) {
      throw invalidRange(
        requested,
        `the range has more than ${ROWS_MAX} rows; ask for a shorter one, or for CSV`,
      );
    }
  }
  const usage = toRows(rows, granularity, await findSeries(app.db, condition));
  return {
    usage,
    summary: sumTotals(usage),
    start_date: formatDay(range.start),
    end_date: formatDay(range.end - DAY_MS),
  };
}

/**
 * Spelled out for the same reason as {@link sumTotals}. Rows of one day or hour are adjacent, so it is
 * formatted once.
 */
function toRows(
  rows: readonly CountedRow[],
  granularity: Granularity,
  series: ReadonlyMap<number, NamedSeries>,
): UsageRow[] {
  let at: number | null = null;
  let date = '';
  return rows.map((row) => {
    if (row.at !== at) date = formatBeginning(granularity, row.at);
    at = row.at;
    const counted = series.get(row.series_id);
    return {
      cdn_endpoint_id: counted?.endpoint_id ?? null,
      site_id: counted?.site_id ?? null,
      date,
      total_bytes_sent: row.total_bytes_sent,
      total_requests: row.total_requests,
      total_cache_hits: row.total_cache_hits,
      total_cache_misses: row.total_cache_misses,
      total_status_2xx: row.total_status_2xx,
      total_status_3xx: row.total_status_3xx,
      total_status_4xx: row.total_status_4xx,
      total_status_5xx: row.total_status_5xx,
      total_refused_requests: row.total_refused_requests,
      total_refused_bytes_sent: row.total_refused_bytes_sent,
    };
  });
}

import type { z } from 'zod';
import type { Executor } from '#db/client.ts';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { formatCsvLine } from './format-csv-line.ts';
import { type SeriesCondition, selectCounted, seriesOf, toTotals } from './queries.ts';
import { requireRange } from './require-range.ts';
import { DAY_MS, formatDay, type UsageRange } from './rules.ts';
import { usageStatsInput, usageTotalsSchema } from './schema.ts';

const ROWS_AT_ONCE = 5_000;

const totalNames = Object.keys(usageTotalsSchema.shape) as (keyof typeof usageTotalsSchema.shape)[];

/** A CSV on its way. */
export interface UsageExport {
  /** `usage-2026-11-01-2026-11-21.csv` */
  filename: string;
  /** The text in parts, its header line first. */
  text: AsyncIterable<string>;
}

/**
 * Returns the rows of {@link getUsageStats} as CSV (RFC 4180), with the names that go with the ids, however many they are.
 * By the hour it reaches back as far as hours are kept.
 * @throws permission_required, invalid_input for a range too long, endpoint_not_found, site_not_found, out_of_scope
 */
export async function exportUsage(
  context: OrganizationContext,
  input: z.input<typeof usageStatsInput>,
): Promise<UsageExport> {
  requireAction(context, 'usage.read');
  const words = usageStatsInput.parse(input);
  const { app } = context;
  const range = requireRange(words, app.clock.now());
  const condition = await seriesOf(app.db, context, words);
  return {
    filename: `usage-${formatDay(range.start)}-${formatDay(range.end - DAY_MS)}.csv`,
    text: writeCsv(app.db, words.granularity, range, condition),
  };
}

async function* writeCsv(
  executor: Executor,
  granularity: 'day' | 'hour',
  range: UsageRange,
  condition: SeriesCondition,
): AsyncGenerator<string> {
  yield formatCsvLine(['date', 'cdn_endpoint_id', 'site_id', 'name', ...totalNames]);
  let last: { at: number; series_id: number } | null = null;
  for (;;) {
    const rows = await selectPage(executor, granularity, range, condition, last);
    if (rows.length === 0) return;
    yield rows
      .map((row) => {
        const totals = toTotals(row);
        const date = granularity === 'hour' ? new Date(row.at).toISOString() : formatDay(row.at);
        const whose = [row.endpoint_id ?? '', row.site_id ?? '', row.name ?? ''];
        return formatCsvLine([date, ...whose, ...totalNames.map((name) => totals[name])]);
      })
      .join('');
    last = rows.at(-1) ?? null;
  }
}

function selectPage(
  executor: Executor,
  granularity: 'day' | 'hour',
  range: UsageRange,
  condition: SeriesCondition,
  last: { at: number; series_id: number } | null,
) {
  const page = selectCounted(executor, granularity, range, condition)
    .leftJoin('resource_lifetimes', (join) =>
      join.onRef('resource_lifetimes.resource_id', '=', (eb) =>
        eb.fn.coalesce('usage_series.endpoint_id', 'usage_series.site_id'),
      ),
    )
    .selectAll('counted')
    .select(['usage_series.endpoint_id', 'usage_series.site_id', 'resource_lifetimes.name'])
    .orderBy('counted.at')
    .orderBy('counted.series_id')
    .limit(ROWS_AT_ONCE);
  const rest =
    last === null
      ? page
      : page.where((eb) =>
          eb.or([
            eb('counted.at', '>', last.at),
            eb.and([eb('counted.at', '=', last.at), eb('counted.series_id', '>', last.series_id)]),
          ]),
        );
  return rest.execute();
}

import { sql } from 'kysely';
import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { beginReading, selectCounted, seriesOf } from './queries.ts';
import { requireRange } from './require-range.ts';
import { dayOf, formatDay, PATHS_KEPT_MS } from './rules.ts';
import { type UsagePaths, usagePathsInput } from './schema.ts';

/**
 * Hosts whose files are read, those with most bytes: reading the files of thousands would block everyone
 * else.
 */
export const SERIES_MAX = 200;

/**
 * Returns the most requested files in a range, most bytes first; with very many hosts, those of the busiest.
 * Only addresses of deployed files are counted: no queries, no addresses of people. For display; billing uses
 * {@link getUsageStats}.
 * @throws permission_required, invalid_input for a range too long, endpoint_not_found, site_not_found,
 * out_of_scope
 */
export async function getTopPaths(
  context: OrganizationContext,
  input: z.input<typeof usagePathsInput>,
): Promise<UsagePaths> {
  requireAction(context, 'usage.read');
  const requested = usagePathsInput.parse(input);
  const { app } = context;
  const now = app.clock.now();
  const range = requireRange(requested, now);
  const kept = { start: Math.max(range.start, dayOf(now - PATHS_KEPT_MS)), end: range.end };
  const condition = await seriesOf(app.db, context, requested);
  await beginReading(context).slice.giveWay();
  const busiest = await selectCounted(app.db, 'day', kept, condition)
    .select('counted.series_id')
    .groupBy('counted.series_id')
    .orderBy(({ fn }) => fn.sum('counted.total_bytes_sent'), 'desc')
    .limit(SERIES_MAX)
    .execute();
  const ids = busiest.map(({ series_id }) => series_id);
  const bytes = sql<number>`cast(sum(bytes_sent) as bigint)`;
  const paths =
    ids.length === 0
      ? []
      : await app.db
          .selectFrom('usage_paths')
          .select('path')
          .select(sql<number>`cast(sum(requests) as bigint)`.as('total_requests'))
          .select(bytes.as('total_bytes_sent'))
          .where('series_id', 'in', ids)
          .where('day', '>=', kept.start)
          .where('day', '<', kept.end)
          .groupBy('path')
          .orderBy(bytes, 'desc')
          .orderBy('path')
          .limit(requested.limit)
          .execute();
  return { start_date: formatDay(range.start), end_date: formatDay(range.end - DAY_MS), paths };
}

import { sql } from 'kysely';
import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { seriesOf } from './queries.ts';
import { requireRange } from './require-range.ts';
import { DAY_MS, formatDay } from './rules.ts';
import { type UsagePaths, usagePathsInput } from './schema.ts';

/**
 * Returns the files that were asked for most in a range, those with most bytes first. Only addresses of deployed files are
 * counted: no queries, no addresses of people. For looking at; the bill is made of {@link getUsageStats}.
 * @throws permission_required, invalid_input for a range too long, endpoint_not_found, site_not_found, out_of_scope
 */
export async function getTopPaths(
  context: OrganizationContext,
  input: z.input<typeof usagePathsInput>,
): Promise<UsagePaths> {
  requireAction(context, 'usage.read');
  const words = usagePathsInput.parse(input);
  const { app } = context;
  const range = requireRange(words, app.clock.now());
  const condition = await seriesOf(app.db, context, words);
  const bytes = sql<number>`cast(sum(usage_paths.bytes_sent) as bigint)`;
  const rows = await app.db
    .selectFrom('usage_paths')
    .innerJoin('usage_series', 'usage_series.id', 'usage_paths.series_id')
    .select('usage_paths.path')
    .select(sql<number>`cast(sum(usage_paths.requests) as bigint)`.as('total_requests'))
    .select(bytes.as('total_bytes_sent'))
    .where((eb) => condition(eb))
    .where('usage_paths.day', '>=', range.start)
    .where('usage_paths.day', '<', range.end)
    .groupBy('usage_paths.path')
    .orderBy(bytes, 'desc')
    .orderBy('usage_paths.path')
    .limit(words.limit)
    .execute();
  return { start_date: formatDay(range.start), end_date: formatDay(range.end - DAY_MS), paths: rows };
}

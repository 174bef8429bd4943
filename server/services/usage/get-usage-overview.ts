import type { z } from 'zod';
import type { Executor } from '#db/client.ts';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import {
  addTotals,
  counterSums,
  noTotals,
  type SeriesCondition,
  selectCounted,
  seriesOf,
  toTotals,
} from './queries.ts';
import { requireRange } from './require-range.ts';
import { DAY_MS, dayOf, formatDay, HOUR_MS, pointsOf, rangeBefore, type UsageRange } from './rules.ts';
import {
  type UsageOverview,
  type UsagePoint,
  type UsageResource,
  type UsageTotals,
  usageRangeInput,
} from './schema.ts';

/**
 * Returns a range summed up as pictures need it: the whole, what it grew from, a point for each day (or hour, when it is
 * short), and each endpoint or site with its part. The parts, and the points, add up to the whole.
 * @throws permission_required, invalid_input for a range too long, endpoint_not_found, site_not_found, out_of_scope
 */
export async function getUsageOverview(
  context: OrganizationContext,
  input: z.input<typeof usageRangeInput>,
): Promise<UsageOverview> {
  requireAction(context, 'usage.read');
  const words = usageRangeInput.parse(input);
  const { app, organization } = context;
  const now = app.clock.now();
  const range = requireRange(words, now);
  const granularity = pointsOf(range, now);
  const condition = await seriesOf(app.db, context, words);
  const [points, resources, previous, active_sites] = await Promise.all([
    readPoints(app.db, granularity, range, now, condition),
    readResources(app.db, range, condition),
    readTotals(app.db, rangeBefore(words, range, now), condition),
    countActiveSites(app.db, organization.id, range),
  ]);
  return {
    start_date: formatDay(range.start),
    end_date: formatDay(range.end - DAY_MS),
    summary: resources.reduce(addTotals, noTotals),
    previous,
    granularity,
    points,
    resources,
    active_sites,
  };
}

async function readPoints(
  executor: Executor,
  granularity: 'day' | 'hour',
  range: UsageRange,
  now: number,
  condition: SeriesCondition,
): Promise<UsagePoint[]> {
  const rows = await selectCounted(executor, granularity, range, condition)
    .select('counted.at')
    .select(counterSums)
    .groupBy('counted.at')
    .execute();
  const counted = new Map(rows.map((row) => [row.at, toTotals(row)]));
  const points: UsagePoint[] = [];
  const step = granularity === 'day' ? DAY_MS : HOUR_MS;
  for (let time = range.start; time < range.end && (time <= now || counted.has(time)); time += step) {
    const date = granularity === 'day' ? formatDay(time) : new Date(time).toISOString();
    points.push({ date, ...(counted.get(time) ?? noTotals) });
  }
  return points;
}

/** Days from the roll-up, and the part of the last day by its hours. */
async function readTotals(
  executor: Executor,
  { start, end }: UsageRange,
  condition: SeriesCondition,
): Promise<UsageTotals> {
  const lastDay = dayOf(end);
  const [days, hours] = await Promise.all(
    (
      [
        ['day', { start, end: lastDay }],
        ['hour', { start: Math.max(start, lastDay), end }],
      ] as const
    ).map(([granularity, range]) =>
      selectCounted(executor, granularity, range, condition).select(counterSums).executeTakeFirstOrThrow(),
    ),
  );
  return [days, hours].reduce((sum, row) => (row ? addTotals(sum, toTotals(row)) : sum), noTotals);
}

async function readResources(
  executor: Executor,
  range: UsageRange,
  condition: SeriesCondition,
): Promise<UsageResource[]> {
  const rows = await selectCounted(executor, 'day', range, condition)
    .leftJoin('resource_lifetimes', (join) =>
      join.onRef('resource_lifetimes.resource_id', '=', (eb) =>
        eb.fn.coalesce('usage_series.endpoint_id', 'usage_series.site_id'),
      ),
    )
    .select(['usage_series.endpoint_id', 'usage_series.site_id'])
    .select(['resource_lifetimes.name', 'resource_lifetimes.ended_at'])
    .select(counterSums)
    .groupBy(['usage_series.endpoint_id', 'usage_series.site_id'])
    .groupBy(['resource_lifetimes.name', 'resource_lifetimes.ended_at'])
    .execute();
  const resources = new Map<string, UsageResource>();
  for (const row of rows) {
    const id = row.endpoint_id ?? row.site_id ?? '';
    const known = resources.get(id);
    resources.set(id, {
      cdn_endpoint_id: row.endpoint_id,
      site_id: known === undefined || known.site_id === row.site_id ? row.site_id : null,
      name: row.name ?? id,
      is_deleted: row.name === null || row.ended_at !== null,
      ...addTotals(known ?? noTotals, toTotals(row)),
    });
  }
  return [...resources.values()].sort(
    (a, b) => b.total_bytes_sent - a.total_bytes_sent || (a.name < b.name ? -1 : 1),
  );
}

/** An active site existed at any instant (design/product.md, Decisions). */
async function countActiveSites(
  executor: Executor,
  organizationId: string,
  { start, end }: UsageRange,
): Promise<number> {
  const { sites } = await executor
    .selectFrom('resource_lifetimes')
    .select(({ fn }) => fn.countAll<number>().as('sites'))
    .where('organization_id', '=', organizationId)
    .where('resource_type', '=', 'site')
    .where('started_at', '<', end)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', start)]))
    .executeTakeFirstOrThrow();
  return sites;
}

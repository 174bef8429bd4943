import { sql } from 'kysely';
import type { z } from 'zod';
import { type Executor, isPostgres } from '#db/client.ts';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { countActiveSites } from './count-active-sites.ts';
import {
  beginReading,
  findSeries,
  inTurns,
  type SeriesCondition,
  selectCounted,
  seriesOf,
  type UsageReading,
} from './queries.ts';
import type { CountedQuery } from './read-counted.ts';
import { requireRange } from './require-range.ts';
import {
  dayOf,
  formatBeginning,
  formatDay,
  type Granularity,
  hourOf,
  pointsOf,
  rangeBefore,
  type UsageRange,
} from './rules.ts';
import {
  type UsageOverview,
  type UsagePoint,
  type UsageResource,
  type UsageTotals,
  usageOverviewInput,
} from './schema.ts';
import { noTotals, sumTotals, totalSums } from './totals.ts';

/**
 * Returns a summary of a range for charts: the total, what it is compared with, a point for each day (or
 * hour, when it is short), and each endpoint or site with its share. The points add up to the total, and so
 * do all resources.
 * @throws permission_required, invalid_input for a range too long, endpoint_not_found, site_not_found,
 * out_of_scope
 */
export async function getUsageOverview(
  context: OrganizationContext,
  input: z.input<typeof usageOverviewInput>,
): Promise<UsageOverview> {
  requireAction(context, 'usage.read');
  const requested = usageOverviewInput.parse(input);
  const { app } = context;
  const now = app.clock.now();
  const range = requireRange(requested, now);
  const granularity = pointsOf(range, now);
  const condition = await seriesOf(app.db, context, requested);
  const reading = beginReading(context);
  const hasParts = requested.resources_max !== 0;
  const { beginnings, parts } = await readSums(reading, { granularity, range, condition, hasParts });
  const resources = hasParts ? await toResources(app.db, parts, condition) : [];
  return {
    start_date: formatDay(range.start),
    end_date: formatDay(range.end - DAY_MS),
    summary: sumTotals(beginnings.values()),
    previous: await readTotals(reading, rangeBefore(requested, range, now), condition),
    granularity,
    points: toPoints(beginnings, granularity, range, now),
    resources: resources.slice(0, requested.resources_max),
    resource_count: resources.length,
    active_sites: await countActiveSites(app.db, context, requested, range),
  };
}

/**
 * Sums by time, and by series if requested. One statement reads both for the same days: a batch added in the
 * meantime is in both or in neither, so that they always agree.
 */
async function readSums(
  reading: UsageReading,
  { granularity, range, condition, hasParts }: CountedQuery & { hasParts: boolean },
) {
  const { executor } = reading;
  const nothing = sql<number | null>`cast(null as bigint)`;
  const beginnings = new Map<number, UsageTotals>();
  const parts = new Map<number, UsageTotals>();
  for await (const days of inTurns(reading, range)) {
    const byTime = selectCounted(executor, granularity, days, condition)
      .select([sql<number | null>`counted.at`.as('at'), nothing.as('series_id')])
      .select(totalSums)
      .groupBy('counted.at');
    const bySeries = selectCounted(executor, 'day', days, condition)
      .select([nothing.as('at'), sql<number | null>`counted.series_id`.as('series_id')])
      .select(totalSums)
      .groupBy('counted.series_id');
    // PostgreSQL reads the days once for both.
    const both =
      isPostgres(executor) && granularity === 'day'
        ? selectCounted(executor, 'day', days, condition)
            .select([
              sql<number | null>`counted.at`.as('at'),
              sql<number | null>`counted.series_id`.as('series_id'),
            ])
            .select(totalSums)
            .groupBy(sql`grouping sets ((counted.at), (counted.series_id))`)
        : byTime.unionAll(bySeries);
    const rows = await (hasParts ? both : byTime).execute();
    for (const { at, series_id, ...totals } of rows) {
      if (at !== null) beginnings.set(at, totals);
      else if (series_id !== null)
        parts.set(series_id, sumTotals([totals, parts.get(series_id) ?? noTotals]));
    }
  }
  return { beginnings, parts };
}

/** Without gaps up to now; later only as far as an edge whose clock is ahead has counted. */
function toPoints(
  beginnings: ReadonlyMap<number, UsageTotals>,
  granularity: Granularity,
  { start, end }: UsageRange,
  now: number,
): UsagePoint[] {
  const step = granularity === 'day' ? DAY_MS : HOUR_MS;
  let last = Math.min(now, end - step);
  for (const beginning of beginnings.keys()) last = Math.max(last, beginning);
  const points: UsagePoint[] = [];
  for (let at = start; at <= last; at += step) {
    points.push({ date: formatBeginning(granularity, at), ...(beginnings.get(at) ?? noTotals) });
  }
  return points;
}

/** Days from the rollup, and the last, partial day from its hours. */
async function readTotals(
  reading: UsageReading,
  { start, end }: UsageRange,
  condition: SeriesCondition,
): Promise<UsageTotals> {
  const { executor } = reading;
  const lastDay = dayOf(end);
  const days = { start, end: lastDay };
  const hours = { start: Math.max(start, lastDay), end: hourOf(end + HOUR_MS - 1) };
  const sums = await selectCounted(executor, 'hour', hours, condition).select(totalSums).execute();
  for await (const part of inTurns(reading, days)) {
    sums.push(...(await selectCounted(executor, 'day', part, condition).select(totalSums).execute()));
  }
  return sumTotals(sums);
}

/** One entry per endpoint, whatever it led to, and per site at its platform names; most bytes first. */
async function toResources(
  executor: Executor,
  parts: ReadonlyMap<number, UsageTotals>,
  condition: SeriesCondition,
): Promise<UsageResource[]> {
  const resources = new Map<string, UsageResource>();
  for (const [id, { endpoint_id, site_id, name, ended_at }] of await findSeries(executor, condition)) {
    const part = parts.get(id);
    if (part === undefined) continue;
    const resourceId = endpoint_id ?? site_id ?? '';
    const known = resources.get(resourceId);
    resources.set(resourceId, {
      cdn_endpoint_id: endpoint_id,
      site_id: known === undefined || known.site_id === site_id ? site_id : null,
      name: name ?? resourceId,
      is_deleted: name === null || ended_at !== null,
      ...sumTotals(known === undefined ? [part] : [known, part]),
    });
  }
  return [...resources.values()].sort(
    (a, b) => b.total_bytes_sent - a.total_bytes_sent || compare(a.name, b.name),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { type Executor, isPostgres } from '#db/client.ts';
import type { Database } from '#db/schema/database.ts';
import type { Slice } from '#server/concurrency/time-slices.ts';
import { type OrganizationContext, requireSiteScope } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { AppError } from '#server/errors.ts';
import type { Granularity, UsageRange } from './rules.ts';
import { TOTAL_COLUMNS } from './totals.ts';

/** How a request reads: however many requests of an organization read at the same time, they take turns. */
export interface UsageReading {
  executor: Executor;
  slice: Slice;
}

/** Returns how a request reads. */
export function beginReading({ app, organization }: OrganizationContext): UsageReading {
  return { executor: app.db, slice: app.slices.begin(organization.id) };
}

/** Whose usage is requested. */
export interface UsageSubject {
  cdn_endpoint_id?: string | undefined;
  site_id?: string | undefined;
}

export type SeriesCondition = (
  eb: ExpressionBuilder<Pick<Database, 'usage_series'>, 'usage_series'>,
) => Expression<SqlBool>;

/**
 * Returns the condition for the series that the actor may see of the organization, or those of the given
 * endpoint or site. Deleted ones are still known. The scope is checked first, so that a credential learns
 * nothing beyond it.
 * @throws endpoint_not_found, site_not_found, out_of_scope
 */
export async function seriesOf(
  executor: Executor,
  context: OrganizationContext,
  { cdn_endpoint_id, site_id }: UsageSubject,
): Promise<SeriesCondition> {
  const organizationId = context.organization.id;
  const readable = readableSites(context);
  if (site_id !== undefined) {
    requireSiteScope(context, site_id, 'read');
    await requireKnown(executor, organizationId, 'site', site_id);
  }
  if (cdn_endpoint_id !== undefined) {
    await requireKnown(executor, organizationId, 'endpoint', cdn_endpoint_id);
    if (readable !== null) await requireReadable(executor, cdn_endpoint_id, readable);
  }
  return (eb) =>
    eb.and([
      eb('usage_series.organization_id', '=', organizationId),
      ...(cdn_endpoint_id === undefined ? [] : [eb('usage_series.endpoint_id', '=', cdn_endpoint_id)]),
      ...(site_id === undefined ? [] : [eb('usage_series.site_id', '=', site_id)]),
      ...(readable === null ? [] : [eb('usage_series.site_id', 'in', orNobody(readable))]),
    ]);
}

/** Returns the sites that a credential may read; null for others, who see the whole organization. */
export function readableSites({ actor }: OrganizationContext): string[] | null {
  if (actor.kind !== 'credential') return null;
  return actor.scopes
    .filter((scope) => scope.resource_type === 'site' && scope.permissions.includes('read'))
    .map((scope) => scope.resource_id);
}

/** A list for SQL's `in`, which does not accept an empty one. */
export function orNobody(ids: readonly string[]): readonly string[] {
  return ids.length === 0 ? [''] : ids;
}

/** @throws endpoint_not_found or site_not_found when the organization never had it */
async function requireKnown(
  executor: Executor,
  organizationId: string,
  type: 'site' | 'endpoint',
  id: string,
): Promise<void> {
  const known = await executor
    .selectFrom('resource_lifetimes')
    .select('resource_id')
    .where('resource_id', '=', id)
    .where('resource_type', '=', type)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (!known) throw new AppError(type === 'site' ? 'site_not_found' : 'endpoint_not_found');
}

/**
 * A credential sees an endpoint that leads, or led, to a site of its scopes; one that never led to a site
 * does not exist for it.
 * @throws endpoint_not_found, out_of_scope
 */
async function requireReadable(
  executor: Executor,
  endpointId: string,
  readable: readonly string[],
): Promise<void> {
  const sites = await selectSitesOf(executor, endpointId).execute();
  if (sites.length === 0) throw new AppError('endpoint_not_found');
  if (!sites.some(({ site_id }) => readable.includes(site_id))) throw new AppError('out_of_scope');
}

/** The sites that an endpoint leads to, or led to while it was counted. */
export function selectSitesOf(executor: Executor, endpointId: string) {
  const now = executor
    .selectFrom('cdn_endpoints')
    .select('site_id')
    .where('id', '=', endpointId)
    .where('site_id', 'is not', null)
    .$narrowType<{ site_id: string }>();
  const counted = executor
    .selectFrom('usage_series')
    .select('site_id')
    .where('endpoint_id', '=', endpointId)
    .where('site_id', 'is not', null)
    .$narrowType<{ site_id: string }>();
  return now.union(counted);
}

/**
 * Starts a read of what the series of a condition served in a range: `counted`, whose `at` is the day or
 * hour. The ids of the series are resolved first: in a join, PostgreSQL would read the counts of the whole
 * installation to find those of one organization.
 */
export function selectCounted(
  executor: Executor,
  granularity: Granularity,
  { start, end }: UsageRange,
  condition: SeriesCondition,
) {
  const days = executor.selectFrom('usage_days').select(['series_id', 'day as at', ...TOTAL_COLUMNS]);
  const hours = executor.selectFrom('usage_hours').select(['series_id', 'hour as at', ...TOTAL_COLUMNS]);
  const series = executor.selectFrom('usage_series').select('id').where(condition);
  return executor
    .selectFrom((granularity === 'day' ? days : hours).as('counted'))
    .where(
      isPostgres(executor)
        ? sql<boolean>`counted.series_id = any(array${series})`
        : sql<boolean>`counted.series_id in ${series}`,
    )
    .where('counted.at', '>=', start)
    .where('counted.at', '<', end);
}

/** Days per read: a few hundred milliseconds with thousands of hosts. */
const DAYS_AT_ONCE = 31;

/**
 * Returns the parts of a range that are read one by one. Other work gets a turn before each of them, because
 * an embedded database serves nothing else meanwhile.
 */
export async function* inTurns(
  { slice }: Pick<UsageReading, 'slice'>,
  { start, end }: UsageRange,
  step = DAYS_AT_ONCE * DAY_MS,
): AsyncGenerator<UsageRange> {
  for (let at = start; at < end; at += step) {
    await slice.giveWay();
    yield { start: at, end: Math.min(at + step, end) };
  }
}

/** What is counted in a series. */
export interface NamedSeries {
  endpoint_id: string | null;
  site_id: string | null;
  /** A hostname, or a site's name; null for what never existed in this installation. */
  name: string | null;
  /** When it was deleted. */
  ended_at: number | null;
}

/**
 * Returns the series of a condition by id, oldest first, with the names of what they count, deleted or not.
 */
export async function findSeries(
  executor: Executor,
  condition: SeriesCondition,
): Promise<Map<number, NamedSeries>> {
  const rows = await executor
    .selectFrom('usage_series')
    .leftJoin('resource_lifetimes', (join) =>
      join.onRef('resource_lifetimes.resource_id', '=', (eb) =>
        eb.fn.coalesce('usage_series.endpoint_id', 'usage_series.site_id'),
      ),
    )
    .select(['usage_series.id', 'usage_series.endpoint_id', 'usage_series.site_id'])
    .select(['resource_lifetimes.name', 'resource_lifetimes.ended_at'])
    .where(condition)
    .orderBy('usage_series.id')
    .execute();
  return new Map(rows.map(({ id, ...series }) => [id, series]));
}

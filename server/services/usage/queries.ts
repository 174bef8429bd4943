import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Executor } from '#db/client.ts';
import type { Database } from '#db/schema/database.ts';
import type { UsageCounterColumns } from '#db/schema/usage-counters.ts';
import { type OrganizationContext, requireSiteScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { COUNTERS, type UsageRange } from './rules.ts';
import type { UsageTotals } from './schema.ts';

/** Whose usage is asked for. */
export interface UsageSubject {
  cdn_endpoint_id?: string | undefined;
  site_id?: string | undefined;
}

export type SeriesCondition = (
  eb: ExpressionBuilder<Pick<Database, 'usage_series'>, 'usage_series'>,
) => Expression<SqlBool>;

/**
 * Returns the condition for the series that the actor may see of the organization, those of the endpoint or site if one is
 * named. Deleted ones are still known. @throws endpoint_not_found, site_not_found, out_of_scope
 */
export async function seriesOf(
  executor: Executor,
  context: OrganizationContext,
  { cdn_endpoint_id, site_id }: UsageSubject,
): Promise<SeriesCondition> {
  const organizationId = context.organization.id;
  await requireKnown(executor, organizationId, 'endpoint', cdn_endpoint_id);
  await requireKnown(executor, organizationId, 'site', site_id);
  if (site_id !== undefined) requireSiteScope(context, site_id, 'read');
  const { actor } = context;
  const readable =
    actor.kind === 'credential'
      ? actor.scopes
          .filter((scope) => scope.resource_type === 'site' && scope.permissions.includes('read'))
          .map((scope) => scope.resource_id)
      : null;
  if (readable !== null && cdn_endpoint_id !== undefined) {
    await requireReadable(executor, cdn_endpoint_id, readable);
  }
  return (eb) =>
    eb.and([
      eb('usage_series.organization_id', '=', organizationId),
      ...(cdn_endpoint_id === undefined ? [] : [eb('usage_series.endpoint_id', '=', cdn_endpoint_id)]),
      ...(site_id === undefined ? [] : [eb('usage_series.site_id', '=', site_id)]),
      ...(readable === null
        ? []
        : [eb('usage_series.site_id', 'in', readable.length === 0 ? [''] : readable)]),
    ]);
}

/** @throws endpoint_not_found or site_not_found when the organization never had it */
async function requireKnown(
  executor: Executor,
  organizationId: string,
  type: 'site' | 'endpoint',
  id: string | undefined,
): Promise<void> {
  if (id === undefined) return;
  const known = await executor
    .selectFrom('resource_lifetimes')
    .select('resource_id')
    .where('resource_id', '=', id)
    .where('resource_type', '=', type)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (!known) throw new AppError(type === 'site' ? 'site_not_found' : 'endpoint_not_found');
}

/** A credential sees an endpoint that leads to a site of its scopes. @throws out_of_scope */
async function requireReadable(
  executor: Executor,
  endpointId: string,
  siteIds: readonly string[],
): Promise<void> {
  const endpoint = await executor
    .selectFrom('cdn_endpoints')
    .select('site_id')
    .where('id', '=', endpointId)
    .executeTakeFirst();
  if (!endpoint?.site_id || !siteIds.includes(endpoint.site_id)) throw new AppError('out_of_scope');
}

/**
 * Starts a read of what the series of a condition served in a range: `counted`, whose `at` is the day or hour, and
 * `usage_series`.
 */
export function selectCounted(
  executor: Executor,
  granularity: 'day' | 'hour',
  { start, end }: UsageRange,
  condition: SeriesCondition,
) {
  const days = executor.selectFrom('usage_days').select(['series_id', 'day as at', ...COUNTERS]);
  const hours = executor.selectFrom('usage_hours').select(['series_id', 'hour as at', ...COUNTERS]);
  return executor
    .selectFrom((granularity === 'day' ? days : hours).as('counted'))
    .innerJoin('usage_series', 'usage_series.id', 'counted.series_id')
    .where('counted.at', '>=', start)
    .where('counted.at', '<', end)
    .where(condition);
}

/** The sums of all counters, as columns. */
export const counterSums = COUNTERS.map((name) =>
  sql<number>`cast(coalesce(sum(${sql.ref(`counted.${name}`)}), 0) as bigint)`.as(name),
);

/** Returns counters under their names on the wire. */
export function toTotals(row: UsageCounterColumns): UsageTotals {
  return {
    total_bytes_sent: row.bytes_sent,
    total_requests: row.requests,
    total_cache_hits: row.cache_hits,
    total_cache_misses: row.cache_misses,
    total_status_2xx: row.status_2xx,
    total_status_3xx: row.status_3xx,
    total_status_4xx: row.status_4xx,
    total_status_5xx: row.status_5xx,
    total_refused_requests: row.refused_requests,
    total_refused_bytes_sent: row.refused_bytes,
  };
}

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

/** Returns two totals as one. */
export function addTotals(a: UsageTotals, b: UsageTotals): UsageTotals {
  return {
    total_bytes_sent: a.total_bytes_sent + b.total_bytes_sent,
    total_requests: a.total_requests + b.total_requests,
    total_cache_hits: a.total_cache_hits + b.total_cache_hits,
    total_cache_misses: a.total_cache_misses + b.total_cache_misses,
    total_status_2xx: a.total_status_2xx + b.total_status_2xx,
    total_status_3xx: a.total_status_3xx + b.total_status_3xx,
    total_status_4xx: a.total_status_4xx + b.total_status_4xx,
    total_status_5xx: a.total_status_5xx + b.total_status_5xx,
    total_refused_requests: a.total_refused_requests + b.total_refused_requests,
    total_refused_bytes_sent: a.total_refused_bytes_sent + b.total_refused_bytes_sent,
  };
}

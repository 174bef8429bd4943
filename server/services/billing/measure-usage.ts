import { sql } from 'kysely';
import { type Executor, isPostgres } from '#db/client.ts';
import type { Quantities } from './invoice-rules.ts';

/**
 * What one endpoint, or the platform names of a site, served. Counts are text: bytes can exceed what a number
 * holds exactly.
 */
export interface ServedUsage {
  endpoint_id: string | null;
  site_id: string | null;
  bytes: string;
  requests: string;
}

/** A site or an endpoint that existed in a month. */
export interface BilledResource {
  id: string;
  type: 'site' | 'endpoint';
  name: string;
}

/** What an organization used in a period, with everything that may be asked about it later. */
export interface MeasuredUsage {
  resources: BilledResource[];
  served: ServedUsage[];
}

/**
 * Returns what an organization used in whole days, half-open: the same rows that the usage pages show.
 * Refused requests are not included.
 */
export async function measureUsage(
  executor: Executor,
  organizationId: string,
  start: number,
  end: number,
): Promise<MeasuredUsage> {
  const resources = await executor
    .selectFrom('resource_lifetimes')
    .select(['resource_id as id', 'resource_type as type', 'name'])
    .where('organization_id', '=', organizationId)
    .where('started_at', '<', end)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', start)]))
    .orderBy('resource_id')
    .execute();
  const series = executor
    .selectFrom('usage_series')
    .select(['id', 'endpoint_id', 'site_id'])
    .where('organization_id', '=', organizationId)
    .orderBy('id');
  const known = await series.execute();
  const ids = executor.selectFrom('usage_series').select('id').where('organization_id', '=', organizationId);
  const rows = await executor
    .selectFrom('usage_days')
    .select('series_id')
    .select([sumAsText('bytes_sent').as('bytes'), sumAsText('requests').as('requests')])
    // Written so that PostgreSQL reads only the days of these series.
    .where(
      isPostgres(executor) ? sql<boolean>`series_id = any(array${ids})` : sql<boolean>`series_id in ${ids}`,
    )
    .where('day', '>=', start)
    .where('day', '<', end)
    .groupBy('series_id')
    .execute();
  const sums = new Map(rows.map((row) => [row.series_id, row]));
  const served = known.flatMap(({ id, endpoint_id, site_id }): ServedUsage[] => {
    const sum = sums.get(id);
    return sum ? [{ endpoint_id, site_id, bytes: sum.bytes, requests: sum.requests }] : [];
  });
  return { resources, served };
}

function sumAsText(column: 'bytes_sent' | 'requests') {
  return sql<string>`cast(coalesce(sum(${sql.ref(column)}), 0) as text)`;
}

/** Returns the quantities of usage by kind. */
export function quantitiesOf({ resources, served }: MeasuredUsage): Quantities {
  const count = (type: BilledResource['type']) =>
    BigInt(resources.filter((each) => each.type === type).length);
  const sum = (name: 'bytes' | 'requests') => served.reduce((all, each) => all + BigInt(each[name]), 0n);
  return {
    site: count('site'),
    endpoint: count('endpoint'),
    bandwidth: sum('bytes'),
    requests: sum('requests'),
  };
}

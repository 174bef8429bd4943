import type { Executor } from '#db/client.ts';
import type { Config } from '#server/config/config.ts';
import type { EdgeChange } from '#server/services/edge-changes/edge-changes.ts';
import { platformHost } from '../../sites/platform-host.ts';
import type { LimitRow } from './find-limits.ts';

/** Something that is stopped at its spending limit. */
export type Stop = Pick<LimitRow, 'scope' | 'resource_id'>;

/** Returns the sites and hostnames that edges must reload when stops of an organization begin or end. */
export async function listStopChanges(
  executor: Executor,
  config: Config,
  organizationId: string,
  stops: readonly Stop[],
): Promise<EdgeChange[]> {
  const isWhole = stops.some(({ scope }) => scope === 'organization');
  const ids = stops.map(({ resource_id }) => resource_id);
  let sites = executor
    .selectFrom('sites')
    .select(['id', 'subdomain'])
    .where('organization_id', '=', organizationId);
  let endpoints = executor
    .selectFrom('cdn_endpoints')
    .select('hostname')
    .where('organization_id', '=', organizationId);
  if (!isWhole) {
    sites = sites.where('id', 'in', ids);
    endpoints = endpoints.where((endpoint) =>
      endpoint.or([endpoint('id', 'in', ids), endpoint('site_id', 'in', ids)]),
    );
  }
  return [
    ...(await sites.execute()).map(({ id, subdomain }) => ({
      site_id: id,
      hostname: platformHost(config, subdomain),
    })),
    ...(await endpoints.execute()).map(({ hostname }) => ({ site_id: null, hostname })),
  ];
}

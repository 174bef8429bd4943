import type { Selectable } from 'kysely';
import type { Executor } from '#db/client.ts';
import type { CdnEndpointsTable } from '#db/schema/cdn-endpoints.ts';
import type { App, OrganizationContext } from '#server/context.ts';
import { findBundlesOfEndpoints } from '../certificates/find-bundles.ts';
import { type BundleRow, toBundle } from '../certificates/to-bundle.ts';
import { toInstant } from '../shared/schema.ts';
import type { Endpoint } from './schema.ts';

export type EndpointRow = Selectable<CdnEndpointsTable> & { site_name: string | null };

/** Starts a read of an organization's endpoints with the names of their sites. */
export function selectEndpoints(executor: Executor, organizationId: string) {
  return executor
    .selectFrom('cdn_endpoints')
    .leftJoin('sites', 'sites.id', 'cdn_endpoints.site_id')
    .selectAll('cdn_endpoints')
    .select('sites.name as site_name')
    .where('cdn_endpoints.organization_id', '=', organizationId);
}

/**
 * Starts a read of the endpoints that the actor may see: a credential sees only those of the sites in its scopes.
 */
export function selectReadableEndpoints({ actor, app, organization }: OrganizationContext) {
  const query = selectEndpoints(app.db, organization.id);
  if (actor.kind !== 'credential') return query;
  const readable = actor.scopes.filter((s) => s.resource_type === 'site' && s.permissions.includes('read'));
  const ids = readable.map((scope) => scope.resource_id);
  return query.where('cdn_endpoints.site_id', 'in', ids.length === 0 ? [''] : ids);
}

/** Endpoints whose bundles are read together: databases limit the number of values in a statement. */
const BUNDLES_AT_ONCE = 1000;

/** Returns the rows with their bundles, as they go over the wire. */
export async function describeEndpoints(
  executor: Executor,
  app: App,
  rows: readonly EndpointRow[],
): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = [];
  for (let start = 0; start < rows.length; start += BUNDLES_AT_ONCE) {
    const some = rows.slice(start, start + BUNDLES_AT_ONCE);
    const ids = some.map((row) => row.id);
    const bundles = await findBundlesOfEndpoints(executor, ids);
    endpoints.push(...some.map((row) => toEndpoint(app, row, bundles.get(row.id) ?? null)));
  }
  return endpoints;
}

/** Returns the row with its bundle, as it goes over the wire. */
export async function describeEndpoint(executor: Executor, app: App, row: EndpointRow): Promise<Endpoint> {
  const bundles = await findBundlesOfEndpoints(executor, [row.id]);
  return toEndpoint(app, row, bundles.get(row.id) ?? null);
}

/** Returns the row as it goes over the wire. */
function toEndpoint(app: App, row: EndpointRow, bundle: BundleRow | null): Endpoint {
  const isSecure = bundle !== null && bundle.issued_at !== null;
  return {
    id: row.id,
    hostname: row.hostname,
    cname_target: row.cname_target,
    origin_type: row.origin_type,
    site_id: row.site_id,
    site_name: row.site_name,
    redirect_target: row.redirect_target,
    hsts: row.hsts,
    proven_at: toInstant(row.proven_at),
    url: isSecure ? app.config.secureUrl(row.hostname) : app.config.plainUrl(row.hostname),
    created_at: toInstant(row.created_at),
    updated_at: toInstant(row.updated_at),
    bundle: bundle === null ? null : toBundle(app, bundle),
  };
}

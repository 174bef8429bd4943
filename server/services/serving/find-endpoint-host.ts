import { preparedQuery } from '#db/prepared-query.ts';
import type { App } from '#server/context.ts';
import { isOverLimit, stopOf } from '../billing/spending/is-over-limit.ts';
import { HSTS_SECONDS } from '../cdn/rules.ts';
import type { KnownHost } from './known-host.ts';

const selectHost = preparedQuery((executor, hostname: string) =>
  executor
    .selectFrom('cdn_endpoints')
    .innerJoin('organizations', 'organizations.id', 'cdn_endpoints.organization_id')
    .leftJoin('sites', 'sites.id', 'cdn_endpoints.site_id')
    .leftJoin('site_versions', 'site_versions.id', 'sites.current_version_id')
    .leftJoin('certificate_bundles', 'certificate_bundles.endpoint_id', 'cdn_endpoints.id')
    .select([
      'cdn_endpoints.id',
      'cdn_endpoints.organization_id',
      'cdn_endpoints.origin_type',
      'cdn_endpoints.site_id',
      'cdn_endpoints.redirect_target',
      'cdn_endpoints.hsts',
      'organizations.suspended_at',
      'sites.suspended_at as site_suspended_at',
      'site_versions.suspended_at as version_suspended_at',
      'sites.current_version_id',
      'sites.spa_fallback',
      'sites.deleted_at',
      'certificate_bundles.valid_until',
    ])
    .select(
      isOverLimit('cdn_endpoints.organization_id', ['cdn_endpoints.id', 'cdn_endpoints.site_id']).as(
        'is_over_limit',
      ),
    )
    .where('cdn_endpoints.hostname', '=', hostname)
    .where('cdn_endpoints.proven_at', 'is not', null),
);

/**
 * Returns the host that serves a custom hostname, or null when the edge serves nothing there: no endpoint,
 * one that is not proven, or one with an origin that is not available.
 */
export async function findEndpointHost(app: App, hostname: string): Promise<KnownHost | null> {
  const [row] = await selectHost(app.db, hostname);
  if (row === undefined) return null;
  const base = {
    organizationId: row.organization_id,
    endpointId: row.id,
    certificateUntil: row.valid_until,
    strictTransportSeconds: HSTS_SECONDS[row.hsts],
    ...stopOf(row),
    isMetered: true,
  };
  if (row.origin_type === 'redirect' && row.redirect_target !== null) {
    return { ...base, kind: 'redirect', target: row.redirect_target };
  }
  if (row.origin_type !== 'site' || row.site_id === null || row.deleted_at !== null) return null;
  return {
    ...base,
    kind: 'site',
    siteId: row.site_id,
    versionId: row.current_version_id,
    spaFallback: row.spa_fallback === 1,
  };
}

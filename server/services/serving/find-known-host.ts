import { preparedQuery } from '#db/prepared-query.ts';
import type { App } from '#server/context.ts';
import { isOverLimit, stopOf } from '../billing/spending/is-over-limit.ts';
import { findEndpointHost } from './find-endpoint-host.ts';
import type { KnownHost, KnownSiteHost } from './known-host.ts';

/**
 * The platform's own names reach sites over http and https alike; every other name belongs to an endpoint.
 */
const platformHost = {
  endpointId: null,
  certificateUntil: null,
  strictTransportSeconds: 0,
  isMetered: true,
};

/**
 * Returns the host that serves a hostname, or null when there is none. One label below the sites' domain is a
 * site's name, or `{version}--{name}` for a preview; anything else is a custom hostname.
 */
export async function findKnownHost(app: App, hostname: string): Promise<KnownHost | null> {
  const suffix = `.${app.config.sitesDomain}`;
  if (!hostname.endsWith(suffix)) return findEndpointHost(app, hostname);
  const label = hostname.slice(0, -suffix.length);
  if (label === '' || label.includes('.')) return null;
  const separator = label.indexOf('--');
  return separator < 0 ? findSiteHost(app, label) : findPreviewHost(app, label, separator);
}

const selectSite = preparedQuery((executor, subdomain: string) =>
  executor
    .selectFrom('sites')
    .innerJoin('organizations', 'organizations.id', 'sites.organization_id')
    .leftJoin('site_versions', 'site_versions.id', 'sites.current_version_id')
    .select([
      'sites.id',
      'sites.organization_id',
      'sites.current_version_id',
      'sites.spa_fallback',
      'organizations.suspended_at',
      'sites.suspended_at as site_suspended_at',
      'site_versions.suspended_at as version_suspended_at',
    ])
    .select(isOverLimit('sites.organization_id', ['sites.id']).as('is_over_limit'))
    .where('sites.subdomain', '=', subdomain)
    .where('sites.deleted_at', 'is', null),
);

async function findSiteHost(app: App, subdomain: string): Promise<KnownSiteHost | null> {
  const [site] = await selectSite(app.db, subdomain);
  if (!site) return null;
  return {
    ...platformHost,
    kind: 'site',
    siteId: site.id,
    versionId: site.current_version_id,
    spaFallback: site.spa_fallback === 1,
    organizationId: site.organization_id,
    ...stopOf(site),
  };
}

/**
 * The id decides. The name after it may be cut, but must begin like the site's, so that no label names
 * another site.
 */
async function findPreviewHost(app: App, label: string, separator: number): Promise<KnownSiteHost | null> {
  const row = await app.db
    .selectFrom('site_versions')
    .innerJoin('sites', 'sites.id', 'site_versions.site_id')
    .innerJoin('organizations', 'organizations.id', 'sites.organization_id')
    .select([
      'sites.id as site_id',
      'sites.organization_id',
      'sites.subdomain',
      'sites.spa_fallback',
      'site_versions.id as version_id',
      'site_versions.sealed_at',
      'site_versions.removed_at',
      'organizations.suspended_at',
      'sites.suspended_at as site_suspended_at',
      'site_versions.suspended_at as version_suspended_at',
    ])
    .select(isOverLimit('sites.organization_id', ['sites.id']).as('is_over_limit'))
    .where('site_versions.id', '=', label.slice(0, separator))
    .where('sites.deleted_at', 'is', null)
    .executeTakeFirst();
  const name = label.slice(separator + 2);
  if (!row || row.removed_at !== null) return findLostPreview(app, name);
  if (row.sealed_at === null || name === '' || !row.subdomain.startsWith(name)) return null;
  return {
    ...platformHost,
    kind: 'preview',
    siteId: row.site_id,
    versionId: row.version_id,
    spaFallback: row.spa_fallback === 1,
    organizationId: row.organization_id,
    ...stopOf(row),
  };
}

/** A removed version never comes back: its address says so instead of looking like a mistake. */
async function findLostPreview(app: App, subdomain: string): Promise<KnownSiteHost | null> {
  const site = await findSiteHost(app, subdomain);
  return site && { ...site, kind: 'preview', versionId: null, isMetered: false };
}

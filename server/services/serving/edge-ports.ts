import { preparedQuery } from '#db/prepared-query.ts';
import type { App } from '#server/context.ts';
import type { EdgeHost, EdgePorts } from '#server/edge/ports.ts';
import type { MeterOf } from '#server/metering/usage-meters.ts';
import { type IsStoppedHere, isOverLimit, stopOf } from '../billing/is-over-limit.ts';
import { createCopyRepair } from '../deployments/copy-repair.ts';
import { REPLACED_GRACE_MS } from '../deployments/rules.ts';
import { findEdgeCertificate } from './find-edge-certificate.ts';
import { findEndpointHost } from './find-endpoint-host.ts';
import { findNewCopies } from './find-new-copies.ts';
import { loadEdgeVersion } from './load-edge-version.ts';

/** What one edge knows about the hosts it serves. */
interface EdgeParts {
  meterOf: MeterOf;
  isStoppedHere: IsStoppedHere;
}

/**
 * Returns what the edge needs from the product, answered from the database and the blob store; `meterOf`
 * counts for it.
 */
export function createEdgePorts(
  app: App,
  meterOf: MeterOf = () => null,
  isStoppedHere: IsStoppedHere = () => false,
): EdgePorts {
  const parts = { meterOf, isStoppedHere };
  const lostCopies = createCopyRepair(app);
  return {
    resolveHost: (hostname) => resolveHost(app, parts, hostname),
    findCertificate: (hostname) => findEdgeCertificate(app, hostname),
    loadVersion: (versionId) => loadEdgeVersion(app, versionId),
    findNewCopies: (versionId, after) => findNewCopies(app, versionId, after),
    findReplacedVersions: (siteId) => findReplacedVersions(app, siteId),
    openBlob: (sha256, encoding) => app.blobs.open(sha256, encoding),
    reportLostCopy: (sha256) => lostCopies.repair(sha256),
  };
}

/**
 * The platform's own names reach sites over http and https alike; every other name belongs to an endpoint.
 */
const platformHost = { endpointId: null, isHttpsOnly: false, strictTransportSeconds: 0 };

/**
 * One label below the sites' domain is a site's name, or `{version}--{name}` for a preview; anything else is
 * a custom hostname.
 */
async function resolveHost(app: App, parts: EdgeParts, hostname: string): Promise<EdgeHost | null> {
  const suffix = `.${app.config.sitesDomain}`;
  if (!hostname.endsWith(suffix)) return findEndpointHost(app, hostname, parts);
  const label = hostname.slice(0, -suffix.length);
  if (label === '' || label.includes('.')) return null;
  const separator = label.indexOf('--');
  return separator < 0 ? resolveSite(app, parts, label) : resolvePreview(app, parts, label, separator);
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

async function resolveSite(
  app: App,
  { meterOf, isStoppedHere }: EdgeParts,
  subdomain: string,
): Promise<EdgeHost | null> {
  const [site] = await selectSite(app.db, subdomain);
  if (!site) return null;
  return {
    ...platformHost,
    kind: 'site',
    siteId: site.id,
    versionId: site.current_version_id,
    spaFallback: site.spa_fallback === 1,
    ...stopOf(site, isStoppedHere(site.organization_id, [site.id])),
    meter: meterOf({ organizationId: site.organization_id, endpointId: null, siteId: site.id }),
  };
}

/**
 * The id decides; the name after it may be cut, but has to begin like the site's, so that no label stands for
 * another site.
 */
async function resolvePreview(
  app: App,
  { meterOf, isStoppedHere }: EdgeParts,
  label: string,
  separator: number,
): Promise<EdgeHost | null> {
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
  if (!row || row.removed_at !== null) return resolveLostPreview(app, name);
  if (row.sealed_at === null || name === '' || !row.subdomain.startsWith(name)) return null;
  return {
    ...platformHost,
    kind: 'preview',
    siteId: row.site_id,
    versionId: row.version_id,
    spaFallback: row.spa_fallback === 1,
    ...stopOf(row, isStoppedHere(row.organization_id, [row.site_id])),
    meter: meterOf({ organizationId: row.organization_id, endpointId: null, siteId: row.site_id }),
  };
}

/** A removed version never comes back: its address says so instead of looking like a mistake. */
async function resolveLostPreview(app: App, subdomain: string): Promise<EdgeHost | null> {
  const site = await resolveSite(app, { meterOf: () => null, isStoppedHere: () => false }, subdomain);
  return site && site.kind === 'site' ? { ...site, kind: 'preview', versionId: null } : null;
}

/** Reverted versions are included: pages that are still open on one load the rest of their own files. */
async function findReplacedVersions(app: App, siteId: string): Promise<string[]> {
  const rows = await app.db
    .selectFrom('site_versions')
    .select('id')
    .where('site_id', '=', siteId)
    .where('replaced_at', '>', app.clock.now() - REPLACED_GRACE_MS)
    .where('suspended_at', 'is', null)
    .orderBy('replaced_at', 'desc')
    .execute();
  return rows.map((row) => row.id);
}

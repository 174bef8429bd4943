import { sql } from 'kysely';
import type { Executor, Trx } from '#db/client.ts';
import type { Config } from '#server/config/config.ts';
import { AppError } from '#server/errors.ts';
import { previewLabel } from '../deployments/rules.ts';
import { toInstant } from '../shared/schema.ts';
import { platformHost } from '../sites/platform-host.ts';
import type { AbuseReport, SiteForOperator, SiteSuspension, VersionForOperator } from './schema.ts';

function selectSites(executor: Executor) {
  return executor
    .selectFrom('sites')
    .innerJoin('organizations', 'organizations.id', 'sites.organization_id')
    .select([
      'sites.id',
      'sites.name',
      'sites.subdomain',
      'sites.organization_id',
      'sites.current_version_id',
      'sites.deleted_at',
      'sites.suspended_at',
      'sites.suspension_reason',
      'organizations.name as organization_name',
    ]);
}
type SiteRow = Awaited<ReturnType<ReturnType<typeof selectSites>['executeTakeFirstOrThrow']>>;

function selectVersions(executor: Executor) {
  return executor
    .selectFrom('site_versions')
    .select(['id', 'site_id', 'number', 'suspended_at', 'suspension_reason'])
    .where('sealed_at', 'is not', null)
    .where('removed_at', 'is', null);
}
type VersionRow = Awaited<ReturnType<ReturnType<typeof selectVersions>['executeTakeFirstOrThrow']>>;

/**
 * Returns the site of any organization by reference, an id before a name, and makes every other writer of its
 * versions and its live pointer wait until this transaction ends. Call it first.
 * @throws site_not_found
 */
export async function lockAnySite(trx: Trx, reference: string): Promise<SiteRow> {
  await trx
    .updateTable('sites')
    .set({ updated_at: sql`updated_at` })
    .where((eb) => eb.or([eb('id', '=', reference), eb('subdomain', '=', reference)]))
    .execute();
  for (const column of ['sites.id', 'sites.subdomain'] as const) {
    const row = await selectSites(trx).where(column, '=', reference).executeTakeFirst();
    if (row) return row;
  }
  throw new AppError('site_not_found');
}

/** Returns a sealed version of the site. @throws version_not_found */
export async function requireSealedVersion(
  executor: Executor,
  siteId: string,
  versionId: string,
): Promise<VersionRow> {
  const row = await selectVersions(executor)
    .where('id', '=', versionId)
    .where('site_id', '=', siteId)
    .executeTakeFirst();
  if (!row) throw new AppError('version_not_found');
  return row;
}

/** Returns the row as operators see it. */
function toSiteForOperator(config: Config, row: SiteRow): SiteForOperator {
  return {
    id: row.id,
    name: row.name,
    url: config.siteUrl(platformHost(config, row.subdomain)),
    organization_id: row.organization_id,
    organization_name: row.organization_name,
    deleted_at: toInstant(row.deleted_at),
    suspended_at: toInstant(row.suspended_at),
    suspension_reason: row.suspension_reason,
  };
}

/** Returns the row as operators see it. */
function toVersionForOperator(config: Config, site: SiteRow, row: VersionRow): VersionForOperator {
  return {
    id: row.id,
    number: row.number,
    preview_url: config.siteUrl(platformHost(config, previewLabel(row.id, site.subdomain))),
    is_current: site.current_version_id === row.id,
    suspended_at: toInstant(row.suspended_at),
    suspension_reason: row.suspension_reason,
  };
}

/** Reports as stored in the database. */
export function selectReports(executor: Executor) {
  return executor
    .selectFrom('abuse_reports')
    .leftJoin('organizations', 'organizations.id', 'abuse_reports.organization_id')
    .selectAll('abuse_reports')
    .select('organizations.name as organization_name');
}
type ReportRow = Awaited<ReturnType<ReturnType<typeof selectReports>['executeTakeFirstOrThrow']>>;

/** Returns the reports as operators see them, with what remains of what they are about. */
export async function describeReports(
  executor: Executor,
  config: Config,
  rows: readonly ReportRow[],
): Promise<AbuseReport[]> {
  const idsOf = (column: 'site_id' | 'version_id') => [
    ...new Set(rows.map((row) => row[column]).filter((id) => id !== null)),
  ];
  const [siteIds, versionIds] = [idsOf('site_id'), idsOf('version_id')];
  const sites =
    siteIds.length > 0 ? await selectSites(executor).where('sites.id', 'in', siteIds).execute() : [];
  const versions =
    versionIds.length > 0 ? await selectVersions(executor).where('id', 'in', versionIds).execute() : [];
  const siteOf = new Map(sites.map((site) => [site.id, site]));
  const versionOf = new Map(versions.map((version) => [version.id, version]));
  return rows.map((row) => {
    const site = siteOf.get(row.site_id ?? '');
    const version = versionOf.get(row.version_id ?? '');
    const { organization_id: id, organization_name: name } = row;
    return {
      id: row.id,
      address: row.address,
      kind: row.kind,
      description: row.description,
      email: row.email,
      created_at: toInstant(row.created_at),
      organization: id === null || name === null ? null : { id, name },
      site: site ? toSiteForOperator(config, site) : null,
      version: site && version ? toVersionForOperator(config, site, version) : null,
      closed_at: toInstant(row.closed_at),
      outcome: row.outcome,
      note: row.note,
      closed_by: row.closed_by,
    };
  });
}

/**
 * Returns a site, and one version of it if given, as operators see them.
 * @throws site_not_found, version_not_found
 */
export async function describeSuspension(
  executor: Executor,
  config: Config,
  what: { site_id: string; version_id: string | undefined; closed_reports: number },
): Promise<SiteSuspension> {
  const site = await selectSites(executor).where('sites.id', '=', what.site_id).executeTakeFirst();
  if (!site) throw new AppError('site_not_found');
  const version =
    what.version_id === undefined ? null : await requireSealedVersion(executor, site.id, what.version_id);
  return {
    site: toSiteForOperator(config, site),
    version: version && toVersionForOperator(config, site, version),
    closed_reports: what.closed_reports,
  };
}

import { type Selectable, sql } from 'kysely';
import type { Executor, Trx } from '#db/client.ts';
import type { SiteVersionsTable } from '#db/schema/site-versions.ts';
import type { SitesTable } from '#db/schema/sites.ts';
import type { Config } from '#server/config/config.ts';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { enterAgain } from '../organizations/enter-again.ts';
import { toInstant } from '../shared/schema.ts';
import { platformHost } from '../sites/platform-host.ts';
import { requireSite } from '../sites/require-site.ts';
import { selectLostFiles } from './blobs/lost-files.ts';
import { previewLabel } from './rules.ts';
import type { Version } from './schema.ts';

export type SiteRow = Selectable<SitesTable>;
export type VersionRow = Selectable<SiteVersionsTable>;
/** A version without its long texts, for lists. */
export type VersionSummaryRow = Omit<
  VersionRow,
  'report' | 'rules_sha256' | 'removed_at' | 'encoded_at' | 'encoded_through'
>;

export const SUMMARY_COLUMNS = [
  'id',
  'organization_id',
  'site_id',
  'number',
  'message',
  'source',
  'created_by',
  'created_at',
  'touched_at',
  'sealed_at',
  'reverted_at',
  'suspended_at',
  'suspension_reason',
  'published_at',
  'replaced_at',
  'file_count',
  'total_bytes',
] as const;

/** How many values one statement may bind on both engines, with a margin. */
const BOUND_VALUES_MAX = 30_000;

/** Splits rows so that each part fits one statement. */
function* inParts<T>(rows: readonly T[], columns = 1): Generator<T[]> {
  const size = Math.floor(BOUND_VALUES_MAX / columns);
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

/**
 * Returns the site and makes every other writer of its versions and its live pointer wait until this
 * transaction ends. Call it first: on SQLite, a transaction that begins by writing never has to be repeated.
 * A deploy may take minutes, so the actor's right is checked again: what was revoked meanwhile publishes nothing.
 * @throws out_of_scope, site_not_found; organization_suspended, permission_required, organization_not_found,
 * credential_invalid and unauthenticated when the right was lost meanwhile
 */
export async function lockSite(trx: Trx, context: OrganizationContext, siteId: string): Promise<SiteRow> {
  await trx
    .updateTable('sites')
    .set({ updated_at: sql`updated_at` })
    .where('id', '=', siteId)
    .where('organization_id', '=', context.organization.id)
    .execute();
  return requireSite(trx, await enterAgain(trx, context, 'deployment.create'), siteId, 'write');
}

/** Returns a version of the site. @throws version_not_found */
export async function getVersionRow(
  executor: Executor,
  site: Pick<SiteRow, 'id' | 'organization_id'>,
  versionId: string,
): Promise<VersionRow> {
  const row = await executor
    .selectFrom('site_versions')
    .selectAll()
    .where('id', '=', versionId)
    .where('site_id', '=', site.id)
    .where('organization_id', '=', site.organization_id)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw new AppError('version_not_found');
  return row;
}

/** Returns a version that still accepts content. @throws version_not_found, version_sealed */
export async function getOpenVersionRow(
  executor: Executor,
  site: Pick<SiteRow, 'id' | 'organization_id'>,
  versionId: string,
): Promise<VersionRow> {
  const row = await getVersionRow(executor, site, versionId);
  requireOpen(row);
  return row;
}

/** Requires that a version still accepts content. @throws version_not_found, version_sealed */
export function requireOpen(row: Pick<VersionRow, 'sealed_at' | 'removed_at'> | undefined): void {
  if (!row || row.removed_at !== null) throw new AppError('version_not_found');
  if (row.sealed_at !== null) throw new AppError('version_sealed');
}

/** Returns which of these hashes the organization does not have, or have been lost, in their order. */
export async function findMissingHashes(
  executor: Executor,
  organizationId: string,
  hashes: readonly string[],
): Promise<string[]> {
  const present = new Set<string>();
  for (const part of inParts(hashes)) {
    const rows = await executor
      .selectFrom('organization_blobs')
      .select('sha256')
      .where('organization_id', '=', organizationId)
      .where('sha256', 'in', part)
      .where('sha256', 'not in', selectLostFiles(executor))
      .execute();
    for (const row of rows) present.add(row.sha256);
  }
  return hashes.filter((hash) => !present.has(hash));
}

/** Starts a read of the files of a version whose content the organization has not sent yet. */
function selectMissingFiles(executor: Executor, organizationId: string, versionId: string) {
  return executor
    .selectFrom('version_files')
    .where('version_files.version_id', '=', versionId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('organization_blobs')
            .select('organization_blobs.sha256')
            .whereRef('organization_blobs.sha256', '=', 'version_files.sha256')
            .where('organization_blobs.organization_id', '=', organizationId)
            .where('organization_blobs.sha256', 'not in', selectLostFiles(executor)),
        ),
      ),
    );
}

/** Returns how many different contents of a version are still missing. */
export async function countMissing(
  executor: Executor,
  organizationId: string,
  versionId: string,
): Promise<number> {
  const row = await selectMissingFiles(executor, organizationId, versionId)
    .select(({ fn }) => fn.count<number>('version_files.sha256').distinct().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Returns a version for clients. */
export function toVersion(
  config: Config,
  site: Pick<SiteRow, 'subdomain' | 'current_version_id'>,
  row: VersionSummaryRow,
): Version {
  return {
    id: row.id,
    number: row.number,
    message: row.message,
    source: row.source,
    created_by: row.created_by,
    created_at: toInstant(row.created_at),
    sealed_at: toInstant(row.sealed_at),
    is_current: site.current_version_id === row.id,
    reverted_at: toInstant(row.reverted_at),
    suspended_at: toInstant(row.suspended_at),
    suspension_reason: row.suspension_reason,
    file_count: row.file_count,
    total_bytes: row.total_bytes,
    preview_url: previewUrl(config, site.subdomain, row.id),
  };
}

/** Returns the immutable address of a version. */
export function previewUrl(config: Config, subdomain: string, versionId: string): string {
  return config.siteUrl(platformHost(config, previewLabel(versionId, subdomain)));
}

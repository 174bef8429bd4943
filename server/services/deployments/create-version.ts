import { sql } from 'kysely';
import { isPostgres, type Trx } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import { actorName, type OrganizationContext } from '#server/context.ts';
import { contentTypeOf } from '#server/edge/content-type.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { requireRoomForContent } from '../limits/require-room-for-content.ts';
import { requireWithinLimits } from '../limits/require-within-limits.ts';
import { checkManifest, type ManifestFile } from './manifest-rules.ts';
import { findMissingHashes, inParts, lockSite } from './queries.ts';
import { TOUCH_INTERVAL_MS } from './rules.ts';

/** Of one file in the database, its indexes and its log; a guess on the high side. */
const MANIFEST_ROW_BYTES = 512;

/** What a new version is made of. */
export interface NewVersion {
  files: ManifestFile[];
  totalBytes: number;
  message: string | null;
  source: string | null;
}

/**
 * Writes a version with its manifest in one transaction and returns its id, its number (unique within the site) and the
 * hashes that the organization has not sent yet. From the commit on, nothing that the manifest names is collected.
 * @throws storage_full where the manifest would reach into the reserve of the database's disk; out_of_scope,
 * site_not_found, limit_versions, limit_open_versions, limit_stored_files, limit_stored_bytes
 */
export async function createVersion(
  context: OrganizationContext,
  siteId: string,
  version: NewVersion,
): Promise<{ id: string; number: number; missing: string[] }> {
  const { app, organization } = context;
  const now = app.clock.now();
  const id = newId(now);
  const hashes = [...new Set(version.files.map((file) => file.sha256))].sort();
  await app.databaseDisk?.requireRoom(version.files.length * MANIFEST_ROW_BYTES);
  return inTransaction(app.db, async (trx) => {
    await lockSite(trx, context, siteId);
    const number = await nextNumber(trx, siteId);
    await trx
      .insertInto('site_versions')
      .values({
        id,
        organization_id: organization.id,
        site_id: siteId,
        number,
        message: version.message === '' ? null : version.message,
        source: version.source ?? (context.actor.kind === 'person' ? 'console' : 'api'),
        created_by: actorName(context.actor),
        created_at: now,
        touched_at: now,
        sealed_at: null,
        reverted_at: null,
        published_at: null,
        replaced_at: null,
        file_count: version.files.length,
        total_bytes: version.totalBytes,
        redirect_rules: '[]',
        header_rules: '[]',
        report: null,
      })
      .execute();
    await requireWithinLimits(trx, app, organization.id, ['versions', 'open_versions', 'stored_files']);
    await insertManifest(trx, id, version.files);
    await touchBlobs(trx, hashes, now);
    const missing = await findMissingHashes(trx, organization.id, hashes);
    await requireRoomForContent(trx, app, organization.id, bytesOf(version.files, missing));
    await recordAudit(trx, context, {
      action: 'version.open',
      resource_type: 'site',
      resource_id: siteId,
      organization_id: organization.id,
      after: { version_id: id, number, file_count: version.files.length, total_bytes: version.totalBytes },
    });
    return { id, number, missing };
  });
}

/** Returns the size of these contents together. */
function bytesOf(files: readonly ManifestFile[], hashes: readonly string[]): number {
  const sizes = new Map(files.map(({ sha256, size }) => [sha256, size]));
  return hashes.reduce((sum, sha256) => sum + (sizes.get(sha256) ?? 0), 0);
}

/** Returns checked files. @throws the code of the first thing wrong with the manifest */
export function requireManifest(
  given: Iterable<ManifestFile>,
  limits: OrganizationContext['app']['config']['deployLimits'],
): { files: ManifestFile[]; totalBytes: number } {
  const checked = checkManifest(given, limits);
  if (!checked.ok) throw new AppError(checked.problem.code, checked.problem.params);
  return checked;
}

/** The site's row is locked, so two versions opened at once take turns and never take the same number. */
async function nextNumber(trx: Trx, siteId: string): Promise<number> {
  const row = await trx
    .selectFrom('site_versions')
    .select(({ fn }) => fn.max('number').as('highest'))
    .where('site_id', '=', siteId)
    .executeTakeFirst();
  return (row?.highest ?? 0) + 1;
}

async function insertManifest(trx: Trx, versionId: string, files: readonly ManifestFile[]): Promise<void> {
  for (const part of inParts(files, 5)) {
    const rows = part.map((file) => ({
      version_id: versionId,
      ...file,
      content_type: contentTypeOf(file.path),
    }));
    await trx.insertInto('version_files').values(rows).execute();
  }
}

/**
 * Marks old blobs as used, before looking which are missing: the collector re-reads the mark under the row's lock, so it
 * either sees this manifest coming or has already taken the blob away from the organization. Rows are locked in the order
 * of their hashes, so that two deploys never wait for each other in a circle.
 */
async function touchBlobs(trx: Trx, hashes: readonly string[], now: number): Promise<void> {
  for (const part of inParts(hashes)) {
    const old = trx
      .selectFrom('blobs')
      .select('sha256')
      .where('sha256', 'in', part)
      .where('touched_at', '<', now - TOUCH_INTERVAL_MS)
      .where('condemned_at', 'is', null);
    await trx
      .updateTable('blobs')
      .set({ touched_at: sql<number>`${now}` })
      .where('sha256', 'in', isPostgres(trx) ? old.orderBy('sha256').forUpdate() : old)
      .execute();
  }
}

import type { Trx } from '#db/client.ts';
import { actorName, type OrganizationContext } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { requireWithinLimits } from '../limits/require-within-limits.ts';
import { inUnitOfWork, type UnitOfWork } from '../shared/unit-of-work.ts';
import { dropVersion } from './drop-version.ts';
import { addManifestFiles } from './manifests/add-manifest-files.ts';
import type { Manifest } from './manifests/read-manifest.ts';
import { lockSite } from './queries.ts';

/** The data of a new version. */
export interface NewVersion extends Manifest {
  message: string | null;
  source: string | null;
}

/**
 * Writes a version with its manifest and returns its id, its number (unique within the site) and the hashes
 * that the organization has not sent yet. The manifest is written in portions; until all of it is there, the
 * version is invisible.
 * @throws storage_full when the manifest would use the reserve of the database's disk; out_of_scope,
 * site_not_found, organization_busy, limit_versions, limit_open_versions, limit_stored_files,
 * limit_stored_bytes
 */
export async function createVersion(
  context: OrganizationContext,
  siteId: string,
  version: NewVersion,
): Promise<{ id: string; number: number; missing: string[] }> {
  const { app, organization } = context;
  app.deployWork.manifests.requireRoom(organization.id);
  const opened = await inUnitOfWork(context, (unit) => insertVersion(unit, context, siteId, version));
  try {
    return { ...opened, missing: await addManifestFiles(context, opened.id, version.files) };
  } catch (error) {
    // If it cannot be discarded now, it is collected as abandoned tomorrow.
    await dropVersion(context, opened.id).catch(() => undefined);
    throw error;
  }
}

async function insertVersion(
  { trx, now, audit }: UnitOfWork,
  context: OrganizationContext,
  siteId: string,
  version: NewVersion,
): Promise<{ id: string; number: number }> {
  const { app, organization } = context;
  const id = newId(now);
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
      file_count: 0,
      total_bytes: 0,
      report: null,
    })
    .execute();
  await requireWithinLimits(trx, app, organization.id, ['versions', 'open_versions']);
  await audit({
    action: 'version.open',
    resource_type: 'site',
    resource_id: siteId,
    organization_id: organization.id,
    after: { version_id: id, number, file_count: version.files.length, total_bytes: version.totalBytes },
  });
  return { id, number };
}

/**
 * The site's row is locked, so that two versions opened at the same time take turns and never get the same
 * number.
 */
async function nextNumber(trx: Trx, siteId: string): Promise<number> {
  const row = await trx
    .selectFrom('site_versions')
    .select(({ fn }) => fn.max('number').as('highest'))
    .where('site_id', '=', siteId)
    .executeTakeFirst();
  return (row?.highest ?? 0) + 1;
}

import type { Trx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import type { UnitOfWork } from '../shared/unit-of-work.ts';
import { wantPicture } from '../sites/want-picture.ts';

/**
 * Moves the live pointer of a site: the only function that does, called by the first publish, every later one
 * and rollback. Readers see the old version or the new one, never anything in between.
 * @param site as read in this transaction; when its pointer has moved since, nothing changes
 * @throws conflict, version_suspended
 */
export async function pointSiteAtVersion(
  { trx, now, tellEdges }: UnitOfWork,
  site: { id: string; organization_id: string; current_version_id: string | null },
  versionId: string,
): Promise<void> {
  const previousId = site.current_version_id;
  const moved = await trx
    .updateTable('sites')
    .set({ current_version_id: versionId, updated_at: now })
    .where('id', '=', site.id)
    .where('current_version_id', previousId === null ? 'is' : '=', previousId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (moved.numUpdatedRows === 0n) throw new AppError('conflict');
  await requireServable(trx, versionId);
  const published = await trx
    .updateTable('site_versions')
    .set(({ fn, val }) => ({
      published_at: fn.coalesce('published_at', val(now)),
      replaced_at: null,
    }))
    .where('id', '=', versionId)
    .where('site_id', '=', site.id)
    .where('sealed_at', 'is not', null)
    .where('reverted_at', 'is', null)
    .executeTakeFirst();
  if (published.numUpdatedRows === 0n) throw new AppError('conflict');
  if (previousId !== null && previousId !== versionId) {
    await trx.updateTable('site_versions').set({ replaced_at: now }).where('id', '=', previousId).execute();
  }
  await wantPicture(trx, site, now);
  tellEdges({ site_id: site.id, hostname: null });
}

/** Requires that no operator has suspended the version. @throws version_suspended */
async function requireServable(trx: Trx, versionId: string): Promise<void> {
  const suspended = await trx
    .selectFrom('site_versions')
    .select('id')
    .where('id', '=', versionId)
    .where('suspended_at', 'is not', null)
    .executeTakeFirst();
  if (suspended) throw new AppError('version_suspended');
}

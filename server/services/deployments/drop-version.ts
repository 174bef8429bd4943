import type { RequestContext } from '#server/context.ts';
import { eraseVersion } from './retention/erase-version.ts';

/**
 * Removes an open version. It is marked first, and from then on it cannot be found, extended or sealed; an
 * interrupted removal continues with the next collection. Returns whether there was one to remove. A sealed
 * version is removed only where it is certain that it is no longer shown (remove-old-versions.ts,
 * purge-deleted-sites.ts).
 */
export async function dropVersion({ app }: RequestContext, versionId: string): Promise<boolean> {
  const { numUpdatedRows } = await app.db
    .updateTable('site_versions')
    .set({ removed_at: app.clock.now() })
    .where('id', '=', versionId)
    .where('sealed_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  await eraseVersion(app.db, versionId);
  return true;
}

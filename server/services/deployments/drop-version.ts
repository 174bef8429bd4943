import type { RequestContext } from '#server/context.ts';
import { eraseVersion } from './erase-version.ts';

/**
 * Removes an open version. It is marked first, and from then on nobody finds, extends or seals it; what is interrupted goes on
 * with the next collection. Returns whether there was one to drop. A sealed version is taken away by who knows that nothing
 * shows it any more (remove-old-versions.ts, purge-deleted-sites.ts).
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

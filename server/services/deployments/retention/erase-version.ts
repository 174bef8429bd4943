import type { Db } from '#db/client.ts';
import { removeInSlices } from '../../shared/remove-in-slices.ts';

/**
 * Deletes the rows of a version that is no longer shown, its manifest in portions so that other work runs
 * between them. Its content is collected afterwards, unless another version refers to it. Safe to repeat and
 * to interrupt.
 */
export async function eraseVersion(db: Db, versionId: string): Promise<void> {
  await removeInSlices(async (limit) => {
    const rows = await db
      .selectFrom('version_files')
      .select('path')
      .where('version_id', '=', versionId)
      .limit(limit)
      .execute();
    if (rows.length === 0) return { numDeletedRows: 0n };
    return deleteFiles(
      db,
      versionId,
      rows.map(({ path }) => path),
    ).executeTakeFirstOrThrow();
  });
  await db.deleteFrom('site_versions').where('id', '=', versionId).execute();
}

/**
 * With the paths in it: PostgreSQL's statistics do not include a new version yet, and to a subquery it would compare each
 * row of the manifest with each of its rows.
 */
export function deleteFiles(db: Db, versionId: string, paths: readonly string[]) {
  return db.deleteFrom('version_files').where('version_id', '=', versionId).where('path', 'in', paths);
}

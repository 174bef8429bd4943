import type { Db } from '#db/client.ts';
import { removeInSlices } from '../shared/remove-in-slices.ts';

/**
 * Deletes the rows of a version that is no longer shown, its manifest in portions so that other work runs
 * between them. Its content is collected afterwards, unless another version refers to it. Safe to repeat and
 * to interrupt.
 */
export async function eraseVersion(db: Db, versionId: string): Promise<void> {
  await removeInSlices((limit) =>
    db
      .deleteFrom('version_files')
      .where('version_id', '=', versionId)
      .where('path', 'in', (eb) =>
        eb.selectFrom('version_files').select('path').where('version_id', '=', versionId).limit(limit),
      )
      .executeTakeFirstOrThrow(),
  );
  await db.deleteFrom('site_versions').where('id', '=', versionId).execute();
}

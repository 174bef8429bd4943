import { setImmediate } from 'node:timers/promises';
import type { Db } from '#db/client.ts';

/** Rows of a manifest that one statement deletes; nobody waits longer than for so many. */
const FILES_AT_ONCE = 1000;

/**
 * Deletes a version that nothing shows any more, its manifest in portions with room for others between them. Its content is
 * collected afterwards, unless another version names it. Safe to repeat and to interrupt.
 */
export async function eraseVersion(db: Db, versionId: string): Promise<void> {
  for (;;) {
    const { numDeletedRows } = await db
      .deleteFrom('version_files')
      .where('version_id', '=', versionId)
      .where('path', 'in', (eb) =>
        eb
          .selectFrom('version_files')
          .select('path')
          .where('version_id', '=', versionId)
          .limit(FILES_AT_ONCE),
      )
      .executeTakeFirstOrThrow();
    if (numDeletedRows < BigInt(FILES_AT_ONCE)) break;
    await setImmediate();
  }
  await db.deleteFrom('site_versions').where('id', '=', versionId).execute();
}

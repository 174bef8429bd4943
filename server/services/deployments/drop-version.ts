import type { RequestContext } from '#server/context.ts';

/** Files removed in one statement. */
const FILES_AT_ONCE = 500;

/**
 * Removes an open version with its manifest, portion by portion. It is marked first, and from then on nobody finds it; what
 * is interrupted goes on with the next collection. Returns whether there was one to drop.
 */
export async function dropVersion({ app }: RequestContext, versionId: string): Promise<boolean> {
  const marked = await app.db
    .updateTable('site_versions')
    .set({ removed_at: app.clock.now() })
    .where('id', '=', versionId)
    .where('sealed_at', 'is', null)
    .returning('organization_id')
    .executeTakeFirst();
  if (!marked) return false;
  const slice = app.deployWork.slices.begin(marked.organization_id);
  for (;;) {
    const removed = await app.db
      .deleteFrom('version_files')
      .where('version_id', '=', versionId)
      .where('path', 'in', (eb) =>
        eb
          .selectFrom('version_files')
          .select('path')
          .where('version_id', '=', versionId)
          .limit(FILES_AT_ONCE),
      )
      .executeTakeFirst();
    if (removed.numDeletedRows === 0n) break;
    await slice.breathe();
  }
  await app.db
    .deleteFrom('site_versions')
    .where('id', '=', versionId)
    .where('removed_at', 'is not', null)
    .execute();
  return true;
}

import type { App } from '#server/context.ts';

/** The precision of an open version's mark of use; thousands of uploads need not write it each time. */
const TOUCH_VERSION_INTERVAL_MS = 60_000;

/** Records that an open version is still being uploaded, so that it is not collected as abandoned. */
export async function touchVersion(app: App, version: { id: string; touched_at: number }): Promise<void> {
  const now = app.clock.now();
  if (version.touched_at > now - TOUCH_VERSION_INTERVAL_MS) return;
  await app.db
    .updateTable('site_versions')
    .set({ touched_at: now })
    .where('id', '=', version.id)
    .where('sealed_at', 'is', null)
    .execute();
}

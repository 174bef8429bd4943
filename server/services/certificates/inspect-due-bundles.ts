import { mapConcurrently } from '#server/concurrency/map-concurrently.ts';
import type { App, RequestContext } from '#server/context.ts';
import { openStuckWork } from '../stuck-work/open-stuck-work.ts';
import { inspectBundle } from './inspection/inspect-bundle.ts';
import { selectDueBundles } from './select-due-bundles.ts';

const BATCH = 64;
const AT_ONCE_MAX = 8;
/**
 * Only one node inspects a bundle at a time; after a crash, or when a result cannot be stored, another one
 * may.
 */
const CLAIM_MS = 60_000;
/** When name servers are slow, bundles that became due meanwhile get their turn after this time. */
const RUN_MS = 15_000;

/**
 * Inspects the records of the bundles that are due, eight at a time, and returns how many. A failed
 * inspection is repeated later and delays no other. When the process stops, no further inspection begins.
 */
export async function inspectDueBundles(
  context: RequestContext,
  stopping: AbortSignal = new AbortController().signal,
): Promise<{ inspected: number }> {
  const { app } = context;
  const due = await selectDueBundles(app.db, 'next_check_at', app.clock.now()).limit(BATCH).execute();
  const stuck = await openStuckWork(app, 'inspect-bundles');
  const endsAt = performance.now() + RUN_MS;
  let inspected = 0;
  await mapConcurrently(due, AT_ONCE_MAX, async ({ id, due_at }) => {
    if (stopping.aborted || performance.now() > endsAt) return;
    const { numUpdatedRows } = await app.db
      .updateTable('certificate_bundles')
      .set({ next_check_at: app.clock.now() + CLAIM_MS })
      .where('id', '=', id)
      .where('next_check_at', '=', due_at)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    try {
      await inspectBundle(context, id);
      inspected += 1;
      await stuck.succeed(id);
    } catch (error) {
      await postpone(app, id, await stuck.fail(id, error));
    }
  });
  return { inspected };
}

async function postpone(app: App, id: string, next_check_at: number): Promise<void> {
  await app.db.updateTable('certificate_bundles').set({ next_check_at }).where('id', '=', id).execute();
}

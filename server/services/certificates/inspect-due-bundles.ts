import type { App, RequestContext } from '#server/context.ts';
import { mapConcurrently } from '#server/work/map-concurrently.ts';
import { openStuckWork } from '../stuck-work/open-stuck-work.ts';
import { inspectBundle } from './inspection/inspect-bundle.ts';

const BATCH = 64;
const AT_ONCE_MAX = 8;
/** While a node looks nobody else does; after a crash, or where a look cannot be kept, another one may. */
const CLAIM_MS = 60_000;
/** Where name servers are slow, those who became due meanwhile get their turn after so long. */
const RUN_MS = 15_000;

/**
 * Looks at the records of the bundles that are due, eight at a time, and returns at how many. One that fails is looked at
 * again later and holds up no other. When the process stops, no further look begins.
 */
export async function inspectDueBundles(
  context: RequestContext,
  stopping: AbortSignal = new AbortController().signal,
): Promise<{ inspected: number }> {
  const { app } = context;
  const due = await findDue(context);
  const stuck = await openStuckWork(app, 'inspect-bundles');
  const endsAt = performance.now() + RUN_MS;
  let inspected = 0;
  await mapConcurrently(due, AT_ONCE_MAX, async ({ id, next_check_at }) => {
    if (stopping.aborted || performance.now() > endsAt) return;
    const { numUpdatedRows } = await app.db
      .updateTable('certificate_bundles')
      .set({ next_check_at: app.clock.now() + CLAIM_MS })
      .where('id', '=', id)
      .where('next_check_at', '=', next_check_at)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    try {
      await inspectBundle(app, id);
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

/** Returns what is due, one of each organization after the other: who has many, or slow ones, keeps nobody waiting. */
function findDue({ app }: RequestContext) {
  const due = app.db
    .selectFrom('certificate_bundles')
    .where('next_check_at', '<=', app.clock.now())
    .select(['id', 'next_check_at'])
    .select(({ fn }) =>
      fn
        .agg<number>('row_number')
        .over((over) => over.partitionBy('organization_id').orderBy('next_check_at'))
        .as('turn'),
    );
  return app.db
    .selectFrom(due.as('due'))
    .select(['id', 'next_check_at'])
    .orderBy('turn')
    .orderBy('next_check_at')
    .limit(BATCH)
    .execute();
}

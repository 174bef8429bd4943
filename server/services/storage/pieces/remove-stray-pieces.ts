import type { RequestContext } from '#server/context.ts';
import { workThrough } from '../../stuck-work/work-through.ts';
import { STRAY_PIECE_KEPT_MS } from '../rules.ts';

/** The name of the job, under which content that the store does not remove is listed. */
const STRAY_REMOVAL_JOB = 'remove-stray-pieces';
const BATCH = 500;

/**
 * Removes content in the store without a row: a write ended between the disk and the database. Content
 * younger than a day may not have its row yet.
 */
export async function removeStrayPieces({ app }: RequestContext, stopping: AbortSignal): Promise<number> {
  const before = app.clock.now() - STRAY_PIECE_KEPT_MS;
  let removed = 0;
  let batch: string[] = [];
  const flush = async () => {
    // In this order: pieces move from the first table to the second, and one that moves must not be missed in
    // both.
    const named = await app.db.selectFrom('object_pieces').select('id').where('id', 'in', batch).execute();
    const removing = await app.db
      .selectFrom('removed_pieces')
      .select('id')
      .where('id', 'in', batch)
      .execute();
    const ids = new Set([...named, ...removing].map(({ id }) => id));
    const strays = batch.filter((each) => !ids.has(each));
    batch = [];
    removed += await workThrough(app, {
      job: STRAY_REMOVAL_JOB,
      list: async (after) => (after === '' ? strays : []),
      nameOf: (id) => id,
      work: async (id) => {
        await app.blobs.pieces.remove(id);
        return true;
      },
      stopping,
    });
  };
  for await (const { id, storedAt } of app.blobs.pieces.list()) {
    if (stopping.aborted) return removed;
    if (storedAt < before) batch.push(id);
    if (batch.length === BATCH) await flush();
  }
  if (batch.length > 0) await flush();
  return removed;
}

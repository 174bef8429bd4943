import type { App, RequestContext } from '#server/context.ts';
import { workThrough } from '../../stuck-work/work-through.ts';
import { REMOVED_PIECE_KEPT_MS } from '../rules.ts';

/** The name of the job, under which content that the store does not remove is listed. */
const REMOVAL_JOB = 'remove-pieces';
const BATCH = 200;

/** Removes the bytes of content that has been unreferenced for an hour: its readers are done. */
export function removePieces({ app }: RequestContext, stopping: AbortSignal): Promise<number> {
  const before = app.clock.now() - REMOVED_PIECE_KEPT_MS;
  let last = { removed_at: 0, id: '' };
  return workThrough(app, {
    job: REMOVAL_JOB,
    // Those that are due come first in the order of time, not in that of names.
    list: async (_, limit) => {
      const rows = await app.db
        .selectFrom('removed_pieces')
        .select(['id', 'removed_at'])
        .where('removed_at', '<', before)
        .where('removed_at', '>=', last.removed_at)
        .where((eb) => eb.or([eb('removed_at', '>', last.removed_at), eb('id', '>', last.id)]))
        .orderBy('removed_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      last = rows.at(-1) ?? last;
      return rows.map(({ id }) => id);
    },
    nameOf: (id) => id,
    work: async (id) => (await remove(app, [id])) > 0,
    together: { size: BATCH, work: (ids) => remove(app, ids) },
    stopping,
  });
}

async function remove({ blobs, db }: App, ids: readonly string[]): Promise<number> {
  for (const id of ids) await blobs.pieces.remove(id);
  // Only now: what was not removed is found again.
  await db.deleteFrom('removed_pieces').where('id', 'in', ids).execute();
  return ids.length;
}

import type { RequestContext } from '#server/context.ts';
import { REMOVED_PIECE_KEPT_MS } from '../rules.ts';

const BATCH = 200;

/** Removes the bytes of content that has been unreferenced for an hour: its readers are done. */
export async function removePieces({ app }: RequestContext, stopping: AbortSignal): Promise<number> {
  let removed = 0;
  while (!stopping.aborted) {
    const rows = await app.db
      .selectFrom('removed_pieces')
      .select('id')
      .where('removed_at', '<', app.clock.now() - REMOVED_PIECE_KEPT_MS)
      .orderBy('removed_at')
      .limit(BATCH)
      .execute();
    if (rows.length === 0) break;
    for (const { id } of rows) await app.blobs.pieces.remove(id);
    // Only now: what was not removed is found again.
    await app.db
      .deleteFrom('removed_pieces')
      .where(
        'id',
        'in',
        rows.map(({ id }) => id),
      )
      .execute();
    removed += rows.length;
  }
  return removed;
}

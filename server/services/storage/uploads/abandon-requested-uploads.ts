import type { App, RequestContext } from '#server/context.ts';
import { selectUploads } from '../objects/object-queries.ts';
import { takeTurns } from '../take-turns.ts';
import { listPartSums } from './upload-queries.ts';
import { abortIdleUpload } from './write-upload.ts';

const BATCH = 50;

/**
 * Abandons the idle uploads of every bucket for which that was requested, a batch of each bucket in turn. Returns how many.
 * @throws the first failure, once the others are done
 */
export async function abandonRequestedUploads(
  { app }: RequestContext,
  stopping: AbortSignal,
): Promise<number> {
  const abandonments = await app.db
    .selectFrom('upload_abandonments')
    .innerJoin('buckets', 'buckets.id', 'upload_abandonments.bucket_id')
    .select(['bucket_id', 'idle_since', 'requested_at'])
    .where('buckets.status', '=', 'active')
    .orderBy('bucket_id')
    .execute();
  let abandoned = 0;
  const places = abandonments.map((of) => ({ ...of, afterKey: '', afterId: '' }));
  await takeTurns(places, stopping, async (place) => {
    const step = await abandonFurther(app, place);
    abandoned += step.abandoned;
    if (step.last === null) return false;
    [place.afterKey, place.afterId] = [step.last.key, step.last.id];
    return true;
  });
  return abandoned;
}

/** Abandons those of the next uploads that are idle; the request is done when there are none. */
async function abandonFurther(
  app: App,
  place: { bucket_id: string; idle_since: number; requested_at: number; afterKey: string; afterId: string },
): Promise<{ abandoned: number; last: { key: string; id: string } | null }> {
  const { bucket_id, idle_since, requested_at, afterKey, afterId } = place;
  const rows = await selectUploads(app.db, bucket_id, { prefix: '', afterKey, afterId, limit: BATCH });
  const sums = await listPartSums(
    app.db,
    rows.map(({ id }) => id),
  );
  let abandoned = 0;
  for (const row of rows) {
    const lastAt = sums.get(row.id)?.lastPartAt ?? row.created_at;
    if (lastAt < idle_since && (await abortIdleUpload(app, bucket_id, row, idle_since))) abandoned += 1;
  }
  const last = rows.at(-1) ?? null;
  if (last === null) {
    await app.db
      .deleteFrom('upload_abandonments')
      .where('bucket_id', '=', bucket_id)
      // It may have been requested again.
      .where('requested_at', '=', requested_at)
      .execute();
  }
  return { abandoned, last };
}

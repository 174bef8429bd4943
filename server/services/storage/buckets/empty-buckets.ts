import type { Selectable } from 'kysely';
import { isPostgres, type Trx } from '#db/client.ts';
import type { BucketEmptyingsTable } from '#db/schema/bucket-emptyings.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App, RequestContext } from '#server/context.ts';
import { dropObjects } from '../objects/drop-objects.ts';
import { withinPieces } from '../pieces/give-up-content.ts';
import { takeTurns } from '../take-turns.ts';
import { abortUpload } from '../uploads/write-upload.ts';

/** Objects per transaction: clients of the bucket wait for no more than these. */
const BATCH = 200;
const UPLOADS_AT_ONCE = 20;

/**
 * Continues with every bucket that is being emptied, a batch of each in turn. Returns how many objects were removed.
 * @throws the first failure, once the others are done
 */
export async function emptyBuckets({ app }: RequestContext, stopping: AbortSignal): Promise<number> {
  const rows = await app.db
    .selectFrom('bucket_emptyings')
    .innerJoin('buckets', 'buckets.id', 'bucket_emptyings.bucket_id')
    .select('bucket_id')
    .where('buckets.status', '=', 'active')
    .orderBy('bucket_id')
    .execute();
  let removed = 0;
  await takeTurns(rows, stopping, async ({ bucket_id }) => {
    const step = await emptyFurther(app, bucket_id);
    removed += step.removed;
    return !step.isDone;
  });
  return removed;
}

interface Step {
  removed: number;
  isDone: boolean;
}

/**
 * Removes the next batch of a bucket; the emptying ends when there is none. One that was stopped in the
 * meantime is done.
 */
async function emptyFurther(app: App, bucketId: string): Promise<Step> {
  const step = await inTransaction(app.db, async (trx): Promise<Step & { requestedAt: number }> => {
    const emptying = await trx
      .selectFrom('bucket_emptyings')
      .selectAll()
      .where('bucket_id', '=', bucketId)
      .$if(isPostgres(trx), (query) => query.forUpdate())
      .executeTakeFirst();
    if (!emptying) return { removed: 0, isDone: true, requestedAt: 0 };
    const { removed, lastKey } = await removeBatch(trx, emptying, app.clock.now());
    if (lastKey !== null) {
      await trx
        .updateTable('bucket_emptyings')
        .set({ removed_objects: emptying.removed_objects + removed, after_key: lastKey })
        .where('bucket_id', '=', bucketId)
        .execute();
    }
    return { removed, isDone: false, requestedAt: lastKey === null ? emptying.requested_at : 0 };
  });
  // All keys are done: what remains are uploads, and then the emptying itself.
  if (step.requestedAt > 0 && !(await abortUploads(app, bucketId, step.requestedAt))) {
    await app.db
      .deleteFrom('bucket_emptyings')
      .where('bucket_id', '=', bucketId)
      // It may have been requested again.
      .where('requested_at', '=', step.requestedAt)
      .execute();
    return { removed: step.removed, isDone: true };
  }
  return step;
}

/**
 * Removes the next objects that existed at the time of the request. Returns the last key read, null when none
 * is left.
 */
async function removeBatch(
  trx: Trx,
  { bucket_id, requested_at, after_key }: Selectable<BucketEmptyingsTable>,
  now: number,
): Promise<{ removed: number; lastKey: string | null }> {
  const found = await trx
    .selectFrom('objects')
    .select(['key', 'content_id', 'size', 'part_count', 'modified_at'])
    .where('bucket_id', '=', bucket_id)
    .where('key', '>', after_key)
    .orderBy('key')
    .limit(BATCH)
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .execute();
  const batch = withinPieces(found);
  const old = batch.filter(({ modified_at }) => modified_at <= requested_at);
  await dropObjects(trx, bucket_id, old, now);
  return { removed: old.length, lastKey: batch.at(-1)?.key ?? null };
}

/** Aborts uploads that began before the request. Returns whether there may be more. */
async function abortUploads(app: App, bucketId: string, requestedAt: number): Promise<boolean> {
  const uploads = await app.db
    .selectFrom('object_uploads')
    .select(['key', 'id'])
    .where('bucket_id', '=', bucketId)
    .where('created_at', '<=', requestedAt)
    .limit(UPLOADS_AT_ONCE)
    .execute();
  for (const upload of uploads) await abortUpload(app, bucketId, upload);
  return uploads.length > 0;
}

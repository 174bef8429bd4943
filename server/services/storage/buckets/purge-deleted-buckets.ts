import type { Db } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App, RequestContext } from '#server/context.ts';
import { removeObjects } from '../objects/drop-objects.ts';
import { giveUpContents, withinPieces } from '../pieces/give-up-content.ts';

const BATCH = 500;

/**
 * Removes the content of deleted buckets, one batch per transaction, and then the buckets. Continues where it
 * was stopped.
 */
export async function purgeDeletedBuckets({ app }: RequestContext, stopping: AbortSignal): Promise<number> {
  const buckets = await app.db.selectFrom('buckets').select('id').where('status', '=', 'deleting').execute();
  let purged = 0;
  for (const { id } of buckets) {
    if (!(await purgeDeletedBucket(app, id, stopping))) break;
    purged += 1;
  }
  return purged;
}

/** Removes a deleted bucket with its content. Returns whether it is gone; a job continues where this was stopped. */
export async function purgeDeletedBucket(app: App, id: string, stopping: AbortSignal): Promise<boolean> {
  while (!stopping.aborted && (await removeBatch(app.db, id, app.clock.now()))) {}
  if (stopping.aborted) return false;
  await inTransaction(app.db, async (trx) => {
    await trx.deleteFrom('bucket_emptyings').where('bucket_id', '=', id).execute();
    await trx.deleteFrom('upload_abandonments').where('bucket_id', '=', id).execute();
    await trx.deleteFrom('bucket_changes').where('bucket_id', '=', id).execute();
    await trx
      .deleteFrom('credential_scopes')
      .where('resource_type', '=', 'bucket')
      .where('resource_id', '=', id)
      .execute();
    await trx.deleteFrom('buckets').where('id', '=', id).execute();
  });
  return true;
}

/**
 * Removes the next objects with their content, then uploads. Returns whether there may be more. Content is found by what refers to it: a
 * search by bucket would read the content of all buckets, a batch at a time.
 */
async function removeBatch(db: Db, bucketId: string, now: number): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const found = await trx
      .selectFrom('objects')
      .select(['key', 'content_id', 'part_count'])
      .where('bucket_id', '=', bucketId)
      .orderBy('key')
      .limit(BATCH)
      .execute();
    if (found.length > 0) {
      await removeObjects(trx, bucketId, withinPieces(found), now);
      return true;
    }
    const upload = await trx
      .selectFrom('object_uploads')
      .select(['key', 'id'])
      .where('bucket_id', '=', bucketId)
      .limit(1)
      .executeTakeFirst();
    if (upload === undefined) return false;
    await giveUpContents(trx, [upload.id], now);
    await trx
      .deleteFrom('object_uploads')
      .where('bucket_id', '=', bucketId)
      .where('key', '=', upload.key)
      .where('id', '=', upload.id)
      .execute();
    return true;
  });
}

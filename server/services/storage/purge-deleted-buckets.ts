import type { Db } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App, RequestContext } from '#server/context.ts';
import { giveUpPieces } from './write-object.ts';

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
    await trx.deleteFrom('object_uploads').where('bucket_id', '=', id).execute();
    await trx.deleteFrom('bucket_emptyings').where('bucket_id', '=', id).execute();
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
 * Returns whether there may be more. Pieces belong to the bucket, whether or not an object or an upload
 * references them.
 */
async function removeBatch(db: Db, bucketId: string, now: number): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const pieces = await trx
      .selectFrom('object_pieces')
      .select(['id'])
      .where('bucket_id', '=', bucketId)
      .limit(BATCH)
      .execute();
    if (pieces.length > 0) {
      await giveUpPieces(
        trx,
        pieces.map(({ id }) => id),
        now,
      );
    }
    const objects = await trx
      .selectFrom('objects')
      .select('key')
      .where('bucket_id', '=', bucketId)
      .limit(BATCH)
      .execute();
    if (objects.length > 0) {
      await trx
        .deleteFrom('objects')
        .where('bucket_id', '=', bucketId)
        .where(
          'key',
          'in',
          objects.map(({ key }) => key),
        )
        .execute();
    }
    return pieces.length > 0 || objects.length > 0;
  });
}

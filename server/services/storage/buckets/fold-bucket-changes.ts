import { sql } from 'kysely';
import { isPostgres, type Trx } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { RequestContext } from '#server/context.ts';
import { addStored } from './measure-bucket.ts';

const BATCH = 1_000;

/**
 * Adds up the recorded changes of writes, so that sums stay cheap to read, and measures what was stored until
 * then. Both together are correct at every moment. Returns how many changes were added up.
 */
export async function foldBucketChanges({ app }: RequestContext, stopping: AbortSignal): Promise<number> {
  let folded = 0;
  while (!stopping.aborted) {
    const count = await inTransaction(app.db, async (trx) => {
      const rows = await trx
        .selectFrom('bucket_changes')
        .select(['id', 'bucket_id'])
        .orderBy('bucket_id')
        // Ids are in the order of time.
        .orderBy('id')
        .limit(BATCH)
        .execute();
      for (const [bucketId, changes] of Map.groupBy(rows, ({ bucket_id }) => bucket_id)) {
        const ids = changes.map(({ id }) => id);
        await foldBucket(trx, bucketId, app.clock.now(), ids);
      }
      return rows.length;
    });
    folded += count;
    if (count < BATCH) break;
  }
  return folded;
}

/**
 * Adds up changes of one bucket: the given ones, or all pending ones, because its storage is measured
 * completely when it is deleted. Adding up a change deletes it, so that with two concurrent runs each is
 * added by one.
 */
export async function foldBucket(
  trx: Trx,
  bucketId: string,
  now: number,
  ids: readonly string[] | null = null,
): Promise<void> {
  const bucket = await trx
    .selectFrom('buckets')
    .select(['id', 'organization_id', 'name', 'status', 'stored_bytes', 'measured_until'])
    .where('id', '=', bucketId)
    // No key changes: writes of objects, which lock the bucket, continue meanwhile.
    .$if(isPostgres(trx), (query) => query.forNoKeyUpdate())
    .executeTakeFirst();
  if (bucket === undefined) return;
  const changes = await trx
    .deleteFrom('bucket_changes')
    .where('bucket_id', '=', bucketId)
    .$if(ids !== null, (query) => query.where('id', 'in', ids ?? []))
    .returning(['objects', 'bytes', 'changed_at'])
    .execute();
  // The remaining content of a deleted one is ours to remove, and not attributed to anyone.
  if (bucket.status !== 'deleting') {
    const since = changes.map(({ bytes, changed_at }) => ({ bytes, since: changed_at }));
    // A clock that was ahead has recorded some; time does not go back.
    await addStored(trx, bucket, since, Math.max(now, bucket.measured_until));
  }
  const sum = (column: 'objects' | 'bytes') => changes.reduce((total, change) => total + change[column], 0);
  await trx
    .updateTable('buckets')
    .set({
      object_count: sql<number>`object_count + ${sum('objects')}`,
      stored_bytes: sql<number>`stored_bytes + ${sum('bytes')}`,
    })
    .where('id', '=', bucketId)
    .execute();
}

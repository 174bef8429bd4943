import { sql } from 'kysely';
import { inTransaction } from '#db/transaction.ts';
import type { RequestContext } from '#server/context.ts';

const BATCH = 1_000;

/** Adds up what writes have noted, so that sums stay cheap to read. Together both are right at every moment. */
export async function foldBucketChanges({ app }: RequestContext, stopping: AbortSignal): Promise<number> {
  let folded = 0;
  while (!stopping.aborted) {
    const count = await inTransaction(app.db, async (trx) => {
      const rows = await trx
        .selectFrom('bucket_changes')
        .select(['id', 'bucket_id', 'objects', 'bytes'])
        .orderBy('bucket_id')
        .orderBy('changed_at')
        .limit(BATCH)
        .execute();
      const sums = new Map<string, { objects: number; bytes: number }>();
      for (const { bucket_id, objects, bytes } of rows) {
        const sum = sums.get(bucket_id) ?? { objects: 0, bytes: 0 };
        sums.set(bucket_id, { objects: sum.objects + objects, bytes: sum.bytes + bytes });
      }
      for (const [id, { objects, bytes }] of sums) {
        await trx
          .updateTable('buckets')
          .set({
            object_count: sql<number>`object_count + ${objects}`,
            stored_bytes: sql<number>`stored_bytes + ${bytes}`,
          })
          .where('id', '=', id)
          .execute();
      }
      if (rows.length > 0) {
        await trx
          .deleteFrom('bucket_changes')
          .where(
            'id',
            'in',
            rows.map(({ id }) => id),
          )
          .execute();
      }
      return rows.length;
    });
    folded += count;
    if (count < BATCH) break;
  }
  return folded;
}

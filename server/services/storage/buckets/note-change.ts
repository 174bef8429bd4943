import type { Trx } from '#db/client.ts';
import { preparedQuery } from '#db/prepared-query.ts';
import { newId } from '#server/ids.ts';

const insertChange = preparedQuery(
  (executor, id: string, bucket_id: string, objects: number, bytes: number, changed_at: number) =>
    executor.insertInto('bucket_changes').values({ id, bucket_id, objects, bytes, changed_at }),
);

/** Records how a write changed the sums of its bucket. */
export async function noteChange(
  trx: Trx,
  bucketId: string,
  { objects, bytes, now }: { objects: number; bytes: number; now: number },
): Promise<void> {
  if (objects === 0 && bytes === 0) return;
  await insertChange(trx, newId(now), bucketId, objects, bytes, now);
}

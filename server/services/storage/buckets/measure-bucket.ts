import { sql } from 'kysely';
import type { Trx } from '#db/client.ts';
import { byteHoursByDay, type StoredSince } from '../usage/byte-hours.ts';

/** A bucket with how far it has been measured. */
export interface MeasuredBucket {
  id: string;
  organization_id: string;
  name: string;
  stored_bytes: number;
  measured_until: number;
}

/**
 * Adds to the days of a bucket what it stored since the last time, with the changes that were not in its sums
 * yet.
 */
export async function addStored(
  trx: Trx,
  bucket: MeasuredBucket,
  changes: readonly StoredSince[],
  until: number,
): Promise<void> {
  const stored = [{ bytes: bucket.stored_bytes, since: bucket.measured_until }, ...changes];
  for (const [day, byte_hours] of byteHoursByDay(stored, until)) {
    await trx
      .insertInto('bucket_days')
      .values({
        ...dayOfBucket(bucket, day),
        byte_hours,
        requests: 0,
        bytes_received: 0,
        bytes_sent: 0,
        refused_requests: 0,
      })
      .onConflict((conflict) =>
        conflict.columns(['bucket_id', 'day']).doUpdateSet({
          byte_hours: sql<number>`bucket_days.byte_hours + excluded.byte_hours`,
        }),
      )
      .execute();
  }
  await trx.updateTable('buckets').set({ measured_until: until }).where('id', '=', bucket.id).execute();
}

/** The key of a day of a bucket. */
function dayOfBucket(bucket: Pick<MeasuredBucket, 'id' | 'organization_id' | 'name'>, day: number) {
  const { id: bucket_id, organization_id, name: bucket_name } = bucket;
  return { bucket_id, day, organization_id, bucket_name };
}

import { isPostgres, type Trx } from '#db/client.ts';
import { noteChange } from '../buckets/note-change.ts';
import { PART_BYTES, PART_DAY, PART_SINCE } from './part-days.ts';

const UPLOADS_AT_ONCE = 500;

/**
 * Adds what the parts of uploads have stored, each from when it arrived until now, to the byte-hours of their bucket, when they cease
 * to be parts. The sums of the bucket stay the same. The caller has locked the uploads.
 */
export async function noteParts(
  trx: Trx,
  bucketId: string,
  uploadIds: readonly string[],
  now: number,
): Promise<void> {
  if (uploadIds.length === 0) return;
  const days = await trx
    .selectFrom('object_pieces')
    .select([PART_BYTES.as('bytes'), PART_SINCE.as('since')])
    .where('content_id', 'in', uploadIds)
    .where('size', '>', 0)
    .groupBy(PART_DAY)
    .execute();
  for (const { bytes, since } of days) {
    await noteChange(trx, bucketId, { objects: 0, bytes, now: since });
    await noteChange(trx, bucketId, { objects: 0, bytes: -bytes, now });
  }
}

/** Records the same of one part. */
export async function noteReplacedPart(
  trx: Trx,
  bucketId: string,
  part: { size: number; created_at: number },
  now: number,
): Promise<void> {
  await noteChange(trx, bucketId, { objects: 0, bytes: part.size, now: part.created_at });
  await noteChange(trx, bucketId, { objects: 0, bytes: -part.size, now });
}

/** Records the same of every upload of a bucket, and holds those until the transaction ends. */
export async function notePartsOfBucket(trx: Trx, bucketId: string, now: number): Promise<void> {
  const uploads = await trx
    .selectFrom('object_uploads')
    .select('id')
    .where('bucket_id', '=', bucketId)
    .orderBy('id')
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .execute();
  const ids = uploads.map(({ id }) => id);
  for (let at = 0; at < ids.length; at += UPLOADS_AT_ONCE) {
    await noteParts(trx, bucketId, ids.slice(at, at + UPLOADS_AT_ONCE), now);
  }
}

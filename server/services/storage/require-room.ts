import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import type { S3Bucket } from '#server/s3/ports.ts';
import { S3Error } from '#server/s3/s3-error.ts';
import { findUse } from '../limits/find-use.ts';

/**
 * Returns when the organization may store this many more bytes. Two concurrent writes may exceed the limit by
 * their own size: a lock would make every write of an organization wait for every other.
 * @throws S3Error QuotaExceeded
 */
export async function requireRoom(trx: Trx, app: App, bucket: S3Bucket, bytes: number): Promise<void> {
  if (bytes <= 0) return;
  const { used, limit } = await findUse(trx, app, bucket.ownerId, 'bucket_bytes');
  if (used + bytes > limit) throw new S3Error('QuotaExceeded');
}

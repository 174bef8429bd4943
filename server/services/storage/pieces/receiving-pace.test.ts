import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { S3_LIMITS } from '#server/s3/s3-limits.ts';
import { withBucket } from '#tests/support/storage/buckets.ts';
import { REMOVED_PIECE_KEPT_MS } from '../rules.ts';
import { ReceivingPace } from './receiving-pace.ts';

const LARGEST = S3_LIMITS.putBytesMax;
const SLOW = { code: 'SlowDown' };

it('what is overwritten again and again takes the disk as far as the limit and one upload, until it is removed', async () => {
  const { app, context, bucket } = await withBucket('churn', { LIMIT_BUCKET_BYTES: '1000' });
  const pace = new ReceivingPace(app);
  const { id } = context.organization;
  expect(bucket.ownerId).toBe(id);
  await pace.take(id, LARGEST);
  await pace.take(id, 1_000);
  await expect(pace.take(id, 1)).rejects.toMatchObject(SLOW);
  await pace.take('another organization', 1);
  app.clock.advance(REMOVED_PIECE_KEPT_MS);
  await pace.take(id, LARGEST);
  const coming = pace.whileComing(id, Readable.from([Buffer.alloc(600), Buffer.alloc(600)]));
  let came = 0;
  await expect(
    (async () => {
      for await (const bytes of coming) came += (bytes as Buffer).byteLength;
    })(),
  ).rejects.toMatchObject(SLOW);
  expect(came).toBe(600);
});

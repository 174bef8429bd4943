import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { withBucket } from '#tests/support/storage/buckets.ts';
import { ROW_CONTENT_BYTES_MAX } from '../rules.ts';

const PIECES = 4_000;

it('a small piece of one organization does not wait for the thousands of another', async () => {
  const { ports, bucket } = await withBucket('flooding');
  const other = { ...bucket, ownerId: 'another organization' };
  const content = Buffer.alloc(ROW_CONTENT_BYTES_MAX + 1);
  const receive = (owner: typeof bucket) =>
    ports.receive(owner, Readable.from([content]), content.byteLength);
  const many = await Promise.all(Array.from({ length: PIECES }, () => receive(bucket)));
  const one = await receive(other);
  let kept = 0;
  const keeping = many.map((piece) =>
    piece.keep().then(() => {
      kept += 1;
    }),
  );
  await keeping[0];
  await one.keep();
  expect(kept).toBeLessThan(PIECES);
  await Promise.all(keeping);
});

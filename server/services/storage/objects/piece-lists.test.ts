import { expect, it } from 'vitest';
import { beginUpload, withBucket } from '#tests/support/storage/buckets.ts';

/** More than are read together. */
const PARTS = 450;

it('the pieces of a large object are read once, and those of what overwrites it anew', async () => {
  const { app, bucket, ports, put, read } = await withBucket('videos');
  const complete = async (text: string) => {
    const parts = Array.from({ length: PARTS }, () => text);
    const upload = await beginUpload(app, 'videos', { key: 'a', parts });
    const stored = await ports.listParts(bucket, upload.id, { after: 0, limit: PARTS });
    const size = PARTS * text.length;
    const completed = { etag: 'x', checksum: null, pieceIds: stored.map(({ id }) => id), size };
    return ports.completeUpload(bucket, upload, completed, { kind: 'none' });
  };
  const { contentId } = await complete('first ');
  const pieces = await ports.listPieces(bucket, contentId);
  expect(pieces).toHaveLength(PARTS);
  expect(await ports.listPieces(bucket, contentId)).toBe(pieces);
  await complete('second ');
  expect(await read('a')).toBe('second '.repeat(PARTS));
  await put('a', 'third');
  expect(await read('a')).toBe('third');
});

import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { engine } from '#tests/support/runner/engine.ts';
import {
  A_CLIENT,
  ANY_OBJECT,
  type BucketWorld,
  s3PortsOf,
  withBucket,
} from '#tests/support/storage/buckets.ts';
import { emptyBucket } from '../buckets/empty-bucket.ts';
import { emptyBuckets } from '../buckets/empty-buckets.ts';
import { scrubPieces } from '../pieces/scrub-pieces.ts';
import { ROW_CONTENT_BYTES_MAX } from '../rules.ts';

const going = () => new AbortController().signal;

/** Everything that is stored: rows of content, names in the store, and what waits to be removed from it. */
async function kept({ app }: BucketWorld) {
  const rows = await app.db.selectFrom('object_pieces').select(['id', 'content']).execute();
  const waiting = await app.db.selectFrom('removed_pieces').select('id').execute();
  const stored: string[] = [];
  for await (const { id } of app.blobs.pieces.list()) stored.push(id);
  return { small: rows.filter(({ content }) => content !== null).length, rows: rows.length, stored, waiting };
}

describe('small content', () => {
  it('lies in the database alone and goes with its object, overwritten, deleted or emptied', async () => {
    const world = await withBucket('tiny');
    const { putSmall, read, ports, bucket, bucketId, context, app } = world;
    await putSmall('overwritten', 'first');
    await putSmall('overwritten', '');
    await putSmall('deleted', 'x'.repeat(ROW_CONTENT_BYTES_MAX));
    await putSmall('emptied', 'café');
    expect([await read('overwritten'), await read('emptied')]).toEqual(['', 'café']);
    expect(await kept(world)).toEqual({ small: 3, rows: 3, stored: [], waiting: [] });
    await ports.deleteObject(bucket, 'deleted', ANY_OBJECT);
    expect(await read('deleted')).toBeNull();
    app.clock.advance(1_000);
    await emptyBucket(context, { bucket_id: bucketId });
    await emptyBuckets(context, going());
    expect(await kept(world)).toEqual({ small: 0, rows: 0, stored: [], waiting: [] });
  });

  it('from one byte above the bound on lies in the store', async () => {
    const world = await withBucket('not-tiny');
    await world.putSmall('key', 'x'.repeat(ROW_CONTENT_BYTES_MAX + 1));
    expect(await kept(world)).toMatchObject({ small: 0, rows: 1, stored: [expect.any(String)] });
  });

  it('beyond what was announced is refused', async () => {
    const { ports, bucket } = await withBucket('longer');
    const longer = Readable.from([Buffer.from('four')]);
    await expect(ports.receive(bucket, longer, 3)).rejects.toMatchObject({ code: 'IncompleteBody' });
  });

  // On PostgreSQL the database has a disk of its own.
  it.runIf(engine === 'sqlite')(
    'leaves the reserve of the database’s disk alone, copied or as the beginning of an upload',
    async () => {
      const { app, bucket, putSmall } = await withBucket('reserved');
      const { contentId } = await putSmall('source', 'content');
      const full = s3PortsOf({
        ...app,
        config: { ...app.config, diskReserveBytes: Number.MAX_SAFE_INTEGER },
      });
      const refusal = { code: 'ServiceUnavailable' };
      const [piece] = await full.listPieces(bucket, contentId);
      await expect(full.copyPiece(piece ?? { id: '', content: null })).rejects.toMatchObject(refusal);
      const told = { headers: {}, metadata: {}, tags: [], checksum: null };
      await expect(full.createUpload(bucket, A_CLIENT, { key: 'large', ...told })).rejects.toMatchObject(
        refusal,
      );
      const all = { prefix: '', afterKey: '', afterId: '', limit: 1 };
      expect(await full.listUploads(bucket, all)).toEqual([]);
    },
  );

  it('can be the last part of an upload, and be replaced there', async () => {
    const world = await withBucket('parts');
    const { ports, bucket } = world;
    const told = { headers: {}, metadata: {}, tags: [], checksum: null };
    const upload = await ports.createUpload(bucket, A_CLIENT, { key: 'whole', ...told });
    const put = async (partNumber: number, content: string) => {
      const piece = await ports.receive(bucket, Readable.from([Buffer.from(content)]), content.length);
      await piece.keep();
      const { id, size, content: bytes } = piece;
      const part = { id, size, content: bytes, partNumber, etag: content.slice(0, 9), checksum: null };
      return (await ports.putPart(bucket, upload, part)).id;
    };
    const large = 'x'.repeat(ROW_CONTENT_BYTES_MAX + 1);
    const first = await put(1, large);
    await put(2, 'replaced');
    const last = await put(2, 'last');
    await put(3, 'left out');
    const pieceIds = [first, last];
    const completed = { etag: 'e-2', checksum: null, pieceIds, size: large.length + 4 };
    await ports.completeUpload(bucket, upload, completed, { kind: 'none' });
    expect(await world.read('whole')).toBe(`${large}last`);
    expect(await kept(world)).toEqual({ small: 1, rows: 2, stored: [first], waiting: [] });
  });

  it('is read by the scrub, which says what has changed', async () => {
    const { app, context, putSmall } = await withBucket('scrubbed');
    await putSmall('sound', 'as it was');
    const { contentId } = await putSmall('changed', 'as it was');
    await app.db
      .updateTable('object_pieces')
      .set({ content: Buffer.from('as it is!') })
      .where('content_id', '=', contentId)
      .execute();
    expect(await scrubPieces(context, going())).toBe(2);
    const stuck = await app.db.selectFrom('stuck_work').select('error').execute();
    expect(stuck).toEqual([
      { error: expect.stringMatching(/stored content has changed: .* the object "changed"/) },
    ]);
  });
});

import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { auditRows } from '#tests/support/app/audit.ts';
import { A_CLIENT, ANY_OBJECT, type BucketWorld, withBucket } from '#tests/support/storage/buckets.ts';
import { deleteBucket } from '../buckets/delete-bucket.ts';
import { emptyBucket } from '../buckets/empty-bucket.ts';
import { emptyBuckets } from '../buckets/empty-buckets.ts';
import { foldBucketChanges } from '../buckets/fold-bucket-changes.ts';
import { getBucket } from '../buckets/get-bucket.ts';
import { abandonIdleUploads } from '../uploads/abandon-idle-uploads.ts';
import { abandonRequestedUploads } from '../uploads/abandon-requested-uploads.ts';
import { abandonUpload } from '../uploads/abandon-upload.ts';
import { listUploads } from '../uploads/list-uploads.ts';
import { getStorageUsage } from '../usage/get-storage-usage.ts';

const going = () => new AbortController().signal;
const HOUR = 3_600_000;
const NO_CONDITION = { kind: 'none' } as const;
const settled = async (work: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(work)).map(({ status }) => status);

async function beginUpload({ app, ports, bucket }: BucketWorld, key: string) {
  const upload = await ports.createUpload(bucket, A_CLIENT, {
    key,
    headers: {},
    metadata: {},
    tags: [],
    checksum: null,
  });
  const putPart = async (partNumber: number, content: string) => {
    const announcedBytes = content.length;
    const piece = await app.blobs.pieces.receive(Readable.from([Buffer.from(content)]), { announcedBytes });
    await piece.keep();
    return ports.putPart(bucket, upload, {
      id: piece.id,
      partNumber,
      size: piece.size,
      etag: content,
      checksum: null,
      content: null,
    });
  };
  const complete = (pieceIds: readonly string[], size: number) =>
    ports.completeUpload(bucket, upload, { etag: 'whole', checksum: null, pieceIds, size }, NO_CONDITION);
  return { upload, putPart, complete };
}

/** Every piece that is referenced by a row, or waits to be removed: none may be in both, and none lost. */
async function accountOf({ app }: BucketWorld) {
  const named = await app.db.selectFrom('object_pieces').select('id').execute();
  const removed = await app.db.selectFrom('removed_pieces').select('id').execute();
  return { named: named.map(({ id }) => id), removed: removed.map(({ id }) => id) };
}

describe('at the same moment', () => {
  it('two completions of an upload create one object of its parts', async () => {
    const world = await withBucket('completed-twice');
    const { putPart, complete } = await beginUpload(world, 'key');
    const parts = [await putPart(1, 'one '), await putPart(2, 'two')];
    const ids = parts.map(({ id }) => id);
    const results = await settled([complete(ids, 7), complete(ids, 7)]);
    expect(results.toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await world.read('key')).toBe('one two');
    expect(await accountOf(world)).toEqual({ named: expect.arrayContaining(ids), removed: [] });
    expect(await getBucket(world.context, { bucket_id: world.bucketId })).toMatchObject({
      object_count: 1,
      stored_bytes: 7,
    });
  });

  it('a repeated part and the completion leave the object complete or the upload open', async () => {
    for (let round = 0; round < 5; round += 1) {
      const world = await withBucket(`replaced-part-${round}`);
      const { putPart, complete } = await beginUpload(world, 'key');
      const { id } = await putPart(1, 'first');
      const [completed, replaced] = await settled([complete([id], 5), putPart(1, 'other')]);
      const content = await world.read('key');
      expect(content).toBe(completed === 'fulfilled' ? 'first' : null);
      expect([completed, replaced]).toContain('fulfilled');
      const { named, removed } = await accountOf(world);
      expect(new Set([...named, ...removed]).size).toBe(named.length + removed.length);
    }
  });

  it('an upload is aborted or completed, never both', async () => {
    for (let round = 0; round < 5; round += 1) {
      const world = await withBucket(`given-up-${round}`);
      const { upload, putPart, complete } = await beginUpload(world, 'key');
      const { id } = await putPart(1, 'content');
      const abort = world.ports.abortUpload(world.bucket, upload);
      const results = await settled([complete([id], 7), abort]);
      expect(results.toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(await world.read('key')).toBe(results[0] === 'fulfilled' ? 'content' : null);
      const { named, removed } = await accountOf(world);
      expect([named.length, removed.length]).toEqual(results[0] === 'fulfilled' ? [1, 0] : [0, 1]);
    }
  });

  it('an upload is abandoned or completed, counted once, and recorded where it was abandoned', async () => {
    for (let round = 0; round < 5; round += 1) {
      const world = await withBucket(`abandoned-${round}`);
      const { app, context, bucketId: bucket_id } = world;
      const { upload, putPart, complete } = await beginUpload(world, 'key');
      const { id } = await putPart(1, 'x'.repeat(100));
      app.clock.advance(25 * HOUR);
      await abandonIdleUploads(context, { bucket_id });
      const results = await settled([
        complete([id], 100),
        abandonUpload(context, { bucket_id, upload_id: upload.id }),
        abandonRequestedUploads(context, going()),
      ]);
      const isComplete = results[0] === 'fulfilled';
      expect(await world.read('key')).toBe(isComplete ? 'x'.repeat(100) : null);
      if (isComplete) expect(results[1]).toBe('rejected');
      const { named, removed } = await accountOf(world);
      expect([named.length, removed.length]).toEqual(isComplete ? [1, 0] : [0, 1]);
      const logged = (await auditRows(context, bucket_id)).filter(
        ({ action }) => action === 'bucket.abandon_upload',
      );
      expect(logged).toHaveLength(results[1] === 'fulfilled' ? 1 : 0);
      app.clock.advance(HOUR);
      await foldBucketChanges(context, going());
      const { summary } = await getStorageUsage(context, { bucket_id });
      expect(summary.byte_hours).toBe(isComplete ? 2_600 : 2_500);
    }
  });

  it('an idle upload goes on or is abandoned, never both', async () => {
    for (let round = 0; round < 5; round += 1) {
      const world = await withBucket(`woken-${round}`);
      const { app, context, bucketId: bucket_id } = world;
      const { putPart } = await beginUpload(world, 'key');
      app.clock.advance(25 * HOUR);
      await abandonIdleUploads(context, { bucket_id });
      const [part] = await settled([putPart(1, 'content'), abandonRequestedUploads(context, going())]);
      const { items } = await listUploads(context, { bucket_id });
      expect(items.map(({ part_count }) => part_count)).toEqual(part === 'fulfilled' ? [1] : []);
    }
  });

  it('writes, deletions and an emptying leave correct sums', async () => {
    const world = await withBucket('stirred');
    const { context, bucketId: bucket_id, put, ports, bucket } = world;
    const keys = Array.from({ length: 12 }, (_, index) => `key-${index % 6}`);
    await Promise.all(keys.map((key) => put(key, 'before')));
    await emptyBucket(context, { bucket_id });
    await Promise.all([
      emptyBuckets(context, going()),
      ...keys.map((key, index) => put(key, `content ${index}`)),
      ...keys.map((key) => ports.deleteObject(bucket, key, ANY_OBJECT)),
      foldBucketChanges(context, going()),
    ]);
    await foldBucketChanges(context, going());
    const rows = await world.app.db.selectFrom('objects').select('size').execute();
    expect(await getBucket(context, { bucket_id })).toMatchObject({
      object_count: rows.length,
      stored_bytes: rows.reduce((sum, { size }) => sum + size, 0),
    });
  });

  it('changes are added up once, by the job or by the deletion of the bucket', async () => {
    const world = await withBucket('folded-twice');
    const { app, context, bucketId: bucket_id, put } = world;
    for (let index = 0; index < 20; index += 1) await put(`${index}`, 'x'.repeat(10));
    app.clock.advance(HOUR);
    await Promise.all([
      foldBucketChanges(context, going()),
      foldBucketChanges(context, going()),
      deleteBucket(context, { bucket_id }),
    ]);
    const { summary } = await getStorageUsage(context, { bucket_id });
    expect(summary.byte_hours).toBe(200);
  });

  it('uploads that end by themselves or with their bucket are counted once', async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      const world = await withBucket(`ended-${turn}`);
      const { app, context, bucketId: bucket_id, bucket, ports } = world;
      const [one, two, three] = [
        await beginUpload(world, 'a'),
        await beginUpload(world, 'b'),
        await beginUpload(world, 'c'),
      ];
      for (const { putPart } of [one, three]) await putPart(1, 'x'.repeat(100));
      const { id } = await two.putPart(1, 'x'.repeat(100));
      app.clock.advance(HOUR);
      const results = await Promise.allSettled([
        ports.abortUpload(bucket, one.upload),
        two.complete([id], 100),
        deleteBucket(context, { bucket_id }),
        three.putPart(1, 'y'.repeat(50)),
        foldBucketChanges(context, going()),
      ]);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'NoSuchBucket' });
      }
      app.clock.advance(HOUR);
      await foldBucketChanges(context, going());
      const { summary } = await getStorageUsage(context, { bucket_id });
      expect(summary.byte_hours).toBe(300);
    }
  });
});

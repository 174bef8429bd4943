import { describe, expect, it } from 'vitest';
import { A_CLIENT, ANY_OBJECT, type BucketWorld, withBucket } from '#tests/support/storage/buckets.ts';
import { applyStorageBatch } from '../../usage/apply-storage-batch.ts';
import { deleteBucket } from '../buckets/delete-bucket.ts';
import { foldBucketChanges } from '../buckets/fold-bucket-changes.ts';
import { getBucket } from '../buckets/get-bucket.ts';
import { purgeDeletedBuckets } from '../buckets/purge-deleted-buckets.ts';
import { expireUploads } from '../uploads/expire-uploads.ts';
import { exportStorageUsage } from './export-storage-usage.ts';
import { getStorageUsage } from './get-storage-usage.ts';

const going = () => new AbortController().signal;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
// The clock of tests starts on March 1 at noon.
const hours = (usage: { summary: { byte_hours: number } }) => usage.summary.byte_hours;

async function beginUpload({ ports, bucket }: BucketWorld, key: string) {
  const told = { headers: {}, metadata: {}, tags: [], checksum: null };
  const upload = await ports.createUpload(bucket, A_CLIENT, { key, ...told });
  let pieces = 0;
  const putPart = async (partNumber: number, size: number) => {
    pieces += 1;
    const id = `${upload.id}-${pieces}`;
    await ports.putPart(bucket, upload, {
      ...{ id, partNumber, size, etag: String(pieces), checksum: null, content: Buffer.alloc(size) },
    });
    return id;
  };
  const complete = (pieceIds: string[], size: number) =>
    ports.completeUpload(bucket, upload, { etag: 'whole', checksum: null, pieceIds, size }, { kind: 'none' });
  return { upload, putPart, complete };
}

describe('what a bucket stores over time', () => {
  it('is its bytes multiplied by hours, by the instants of its changes and up to now, folded or not', async () => {
    const { app, context, put, ports, bucket } = await withBucket('measured');
    const ask = () => getStorageUsage(context, {});
    await put('a', 'x'.repeat(100));
    app.clock.advance(2 * HOUR);
    expect(hours(await ask())).toBe(200);
    await foldBucketChanges(context, going());
    expect(hours(await ask())).toBe(200);
    await put('a', 'x'.repeat(40));
    app.clock.advance(HOUR);
    await put('b', 'x'.repeat(10));
    app.clock.advance(HOUR);
    expect(hours(await ask())).toBe(200 + 40 + 50);
    await ports.deleteObject(bucket, 'a', ANY_OBJECT);
    await foldBucketChanges(context, going());
    app.clock.advance(30 * DAY);
    const month = await ask();
    expect(month.start_date).toBe('2026-03-01');
    expect(hours(month)).toBe(290 + 10 * 24 * 30);
    expect(month.points).toHaveLength(31);
    expect(month.points[5]).toMatchObject({ date: '2026-03-06', byte_hours: 240 });
    expect(month.buckets).toMatchObject([{ name: 'measured', is_deleted: false, byte_hours: hours(month) }]);
  });

  it('ends when the bucket is deleted, and is still known', async () => {
    const { app, context, bucketId: bucket_id, put } = await withBucket('ended');
    await put('a', 'x'.repeat(100));
    app.clock.advance(HOUR);
    await deleteBucket(context, { bucket_id });
    app.clock.advance(HOUR);
    await purgeDeletedBuckets(context, going());
    await foldBucketChanges(context, going());
    app.clock.advance(HOUR);
    const usage = await getStorageUsage(context, { bucket_id });
    expect(usage.buckets).toMatchObject([{ name: 'ended', is_deleted: true, byte_hours: 100 }]);
    await expect(getStorageUsage(context, { bucket_id: 'none' })).rejects.toMatchObject({
      code: 'bucket_not_found',
    });
  });

  it('includes the parts of an upload since each came, completed or not', async () => {
    const world = await withBucket('in-parts');
    const { app, context, bucketId: bucket_id, put } = world;
    const ask = async () => hours(await getStorageUsage(context, {}));
    const { putPart, complete } = await beginUpload(world, 'key');
    await putPart(1, 100);
    app.clock.advance(HOUR);
    const first = await putPart(1, 40);
    const second = await putPart(2, 10);
    await putPart(3, 1_000);
    expect(await ask()).toBe(100);
    app.clock.advance(DAY);
    expect(await ask()).toBe(100 + 1_050 * 24);
    await put('other', 'x');
    await foldBucketChanges(context, going());
    expect(await ask()).toBe(100 + 1_050 * 24);
    expect(await getBucket(context, { bucket_id })).toMatchObject({ object_count: 1, stored_bytes: 1 });
    await complete([first, second], 50);
    app.clock.advance(HOUR);
    const whole = 100 + 1_050 * 24 + 51;
    expect(await ask()).toBe(whole);
    await foldBucketChanges(context, going());
    const usage = await getStorageUsage(context, {});
    expect(hours(usage)).toBe(whole);
    expect(usage.points.map(({ byte_hours }) => byte_hours)).toEqual([100 + 1_050 * 11, 1_050 * 13 + 51]);
    expect(await getBucket(context, { bucket_id })).toMatchObject({ object_count: 2, stored_bytes: 51 });
  });

  it('includes the parts of an upload that was given up, aborted or deleted with its bucket', async () => {
    const world = await withBucket('given-up');
    const { app, context, bucketId: bucket_id, bucket, ports } = world;
    const ask = async () => hours(await getStorageUsage(context, { bucket_id }));
    const aborted = await beginUpload(world, 'aborted');
    await aborted.putPart(1, 100);
    await (await beginUpload(world, 'given up')).putPart(1, 10);
    app.clock.advance(HOUR);
    await ports.abortUpload(bucket, aborted.upload);
    app.clock.advance(8 * DAY);
    await expireUploads(context, going());
    app.clock.advance(DAY);
    const before = 100 + 10 * (1 + 8 * 24);
    expect(await ask()).toBe(before);
    await (await beginUpload(world, 'deleted')).putPart(1, 1_000);
    app.clock.advance(HOUR);
    await deleteBucket(context, { bucket_id });
    app.clock.advance(DAY);
    expect(await ask()).toBe(before + 1_000);
    await purgeDeletedBuckets(context, going());
    expect(await ask()).toBe(before + 1_000);
  });

  it('is counted once however often its requests are reported, and is available as CSV', async () => {
    const { app, context, bucketId } = await withBucket('asked');
    const day = Date.parse('2026-03-01');
    const row = {
      ...{ bucket_id: bucketId, organization_id: context.organization.id, bucket_name: 'asked', day },
      ...{ requests: 3, bytes_received: 10, bytes_sent: 20, refused_requests: 1 },
    };
    const batch = { node_id: 's3', boot_id: 'boot', sequence: 1, rows: [row] };
    expect(await applyStorageBatch(app, batch)).toBe(true);
    expect(await applyStorageBatch(app, batch)).toBe(false);
    expect(await applyStorageBatch(app, { ...batch, sequence: 2 })).toBe(true);
    const { summary } = await getStorageUsage(context, {});
    expect(summary).toEqual({
      byte_hours: 0,
      total_requests: 6,
      total_bytes_received: 20,
      total_bytes_sent: 40,
      total_refused_requests: 2,
    });
    const { filename, text } = await exportStorageUsage(context, { period: 'day' });
    expect(filename).toBe('storage-2026-03-01-2026-03-01.csv');
    expect(text.split('\r\n')).toEqual([
      'date,bucket_id,name,byte_hours,total_requests,total_bytes_received,total_bytes_sent,total_refused_requests',
      `2026-03-01,${bucketId},asked,0,6,20,40,2`,
      '',
    ]);
  });

  it('lists no more buckets than requested, and includes all in the sum', async () => {
    const { app, context, put } = await withBucket('limited');
    await put('a', 'x');
    app.clock.advance(HOUR);
    const whole = await getStorageUsage(context, {});
    expect([whole.buckets.length, hours(whole)]).toEqual([1, 1]);
    expect(await getStorageUsage(context, { buckets_max: 0 })).toEqual({ ...whole, buckets: [] });
  });

  it('is shown to a credential for the buckets that it can read', async () => {
    const { context, bucketId, put } = await withBucket('scoped');
    await put('a', 'x');
    const asCredential = (ids: string[]) => ({
      ...context,
      actor: {
        kind: 'credential' as const,
        credentialId: 'c',
        name: 'c',
        organizationId: context.organization.id,
        scopes: ids.map((resource_id) => ({
          resource_type: 'bucket' as const,
          resource_id,
          permissions: ['read' as const],
        })),
      },
    });
    context.app.clock.now();
    expect((await getStorageUsage(asCredential([]), {})).buckets).toEqual([]);
    await expect(getStorageUsage(asCredential([]), { bucket_id: bucketId })).rejects.toMatchObject({
      code: 'out_of_scope',
    });
    expect(
      (await getStorageUsage(asCredential([bucketId]), { bucket_id: bucketId })).buckets.length,
    ).toBeLessThan(2);
  });
});

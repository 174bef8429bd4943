import { describe, expect, it } from 'vitest';
import { auditRows } from '#tests/support/app/audit.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { A_CLIENT, withBucket } from '#tests/support/storage/buckets.ts';
import { createBucket } from './create-bucket.ts';
import { deleteBucket } from './delete-bucket.ts';
import { emptyBucket } from './empty-bucket.ts';
import { emptyBuckets } from './empty-buckets.ts';
import { getBucket } from './get-bucket.ts';
import { stopEmptyingBucket } from './stop-emptying-bucket.ts';

const going = () => new AbortController().signal;

async function prepare(keys: readonly string[]) {
  const world = await withBucket('cellar');
  for (const key of keys) await world.put(key, `content of ${key}`);
  const { context, bucketId } = world;
  const input = { bucket_id: bucketId };
  return { ...world, input, look: () => getBucket(context, input) };
}

describe('emptying a bucket', () => {
  it('removes every object, reports its progress, and is recorded', async () => {
    const keys = Array.from({ length: 450 }, (_, index) => `folder/${index}`);
    const { app, context, bucketId, input, look } = await prepare(keys);
    const asked = await emptyBucket(context, input);
    expect(asked).toMatchObject({ status: 'active', emptying: { object_total: 450, removed_objects: 0 } });
    // The process stops within the first batch; the job continues after the next start.
    const stop = new AbortController();
    const now = () => {
      stop.abort();
      return app.clock.now();
    };
    expect(await emptyBuckets({ ...context, app: { ...app, clock: { now } } }, stop.signal)).toBe(200);
    expect(await look()).toMatchObject({
      object_count: 250,
      emptying: { object_total: 450, removed_objects: 200 },
    });
    expect(await emptyBuckets(context, going())).toBe(250);
    expect(await look()).toMatchObject({ object_count: 0, stored_bytes: 0, emptying: null });
    expect(await app.db.selectFrom('object_pieces').selectAll().execute()).toEqual([]);
    expect(await app.db.selectFrom('removed_pieces').selectAll().execute()).toHaveLength(450);
    const rows = await auditRows(context, bucketId);
    expect(rows.find(({ action }) => action === 'bucket.empty')).toBeDefined();
  });

  it('keeps what is stored after the request, even under an existing key', async () => {
    const { app, context, input, look, put, read } = await prepare(['a', 'b', 'c']);
    await emptyBucket(context, input);
    app.clock.advance(1_000);
    await put('b', 'anew');
    await put('z', 'later');
    expect(await emptyBuckets(context, going())).toBe(2);
    expect([await read('a'), await read('b'), await read('z')]).toEqual([null, 'anew', 'later']);
    expect(await look()).toMatchObject({ object_count: 2, emptying: null });
  });

  it('requested again includes what has been added since', async () => {
    const { app, context, input, look, put } = await prepare(['b']);
    await emptyBucket(context, input);
    app.clock.advance(1_000);
    await put('a', 'later');
    expect((await emptyBucket(context, input)).emptying).toMatchObject({ object_total: 2 });
    await emptyBuckets(context, going());
    expect(await look()).toMatchObject({ object_count: 0, emptying: null });
  });

  it('aborts multipart uploads that began before, and no later one', async () => {
    const { app, bucket, context, input, ports } = await prepare([]);
    const told = { headers: {}, metadata: {}, tags: [], checksum: null };
    await ports.createUpload(bucket, A_CLIENT, { key: 'early', ...told });
    await emptyBucket(context, input);
    app.clock.advance(1_000);
    await ports.createUpload(bucket, A_CLIENT, { key: 'late', ...told });
    await emptyBuckets(context, going());
    const page = { prefix: '', afterKey: '', afterId: '', limit: 10 };
    expect((await ports.listUploads(bucket, page)).map(({ key }) => key)).toEqual(['late']);
  });

  it('can be stopped, which keeps the rest and is recorded once', async () => {
    const { context, bucketId, input, look } = await prepare(['a', 'b']);
    await emptyBucket(context, input);
    expect((await stopEmptyingBucket(context, input)).emptying).toBeNull();
    expect((await stopEmptyingBucket(context, input)).emptying).toBeNull();
    expect(await emptyBuckets(context, going())).toBe(0);
    expect(await look()).toMatchObject({ object_count: 2, emptying: null });
    const stops = (await auditRows(context, bucketId)).filter(({ action }) => action === 'bucket.empty_stop');
    expect(stops).toHaveLength(1);
  });

  it('is for people who manage buckets, within the organization and the feature, and for active buckets', async () => {
    const { app, context, input } = await prepare(['a']);
    const member = { ...context, organization: { ...context.organization, permission: 'write' as const } };
    const stranger = await createTestPerson(app);
    for (const verb of [emptyBucket, stopEmptyingBucket]) {
      await expect(verb(member, input)).rejects.toMatchObject({ code: 'permission_required' });
      await expect(verb(stranger.context, input)).rejects.toMatchObject({ code: 'bucket_not_found' });
      const without = { ...context, organization: { ...context.organization, features: [] } };
      await expect(verb(without, input)).rejects.toMatchObject({ code: 'feature_missing' });
    }
    await deleteBucket(context, input);
    await expect(emptyBucket(context, input)).rejects.toMatchObject({ code: 'bucket_not_active' });
  });

  it('continues with the others when one of them fails', async () => {
    const { app, context, input, look } = await prepare(['a']);
    const { id } = await createBucket(context, { name: 'second' });
    const other = { bucket_id: id };
    await emptyBucket(context, input);
    await emptyBucket(context, other);
    const [piece] = await app.db.selectFrom('object_pieces').select('id').execute();
    // It fails at the piece that is already released.
    await app.db
      .insertInto('removed_pieces')
      .values({ id: piece?.id ?? '', removed_at: 0 })
      .execute();
    await expect(emptyBuckets(context, going())).rejects.toThrow();
    expect((await look()).emptying).not.toBeNull();
    expect((await getBucket(context, other)).emptying).toBeNull();
  });
});

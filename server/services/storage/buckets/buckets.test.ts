import { describe, expect, it } from 'vitest';
import type { OrganizationContext } from '#server/context.ts';
import type { S3Access } from '#server/s3/ports.ts';
import { auditRows } from '#tests/support/app/audit.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { createMember, createNamedOrganization } from '#tests/support/app/named-organization.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { A_CLIENT, withBucket } from '#tests/support/storage/buckets.ts';
import { createBucket } from './create-bucket.ts';
import { deleteBucket } from './delete-bucket.ts';
import { getBucket } from './get-bucket.ts';
import { listBuckets } from './list-buckets.ts';
import { prepareBuckets } from './prepare-buckets.ts';
import { purgeDeletedBuckets } from './purge-deleted-buckets.ts';
import { updateBucket } from './update-bucket.ts';

async function prepare(environment: Record<string, string> = {}) {
  const app = await createTestApp({ environment });
  const person = await createTestPerson(app);
  return { app, context: person.context, person };
}
/** An S3 client that reaches every bucket of the organization. */
const clientOf = ({ organization }: OrganizationContext): S3Access => ({
  accessKeyId: 'key',
  secretKey: 'secret',
  credentialId: 'credential',
  credentialName: 'credential',
  ownerId: organization.id,
  ownerName: 'owner',
  mayCreateBuckets: true,
  mayReach: () => true,
});
const going = () => new AbortController().signal;

describe('createBucket', () => {
  it('creates an active bucket that is reachable by its name, and records it', async () => {
    const { context } = await prepare();
    const bucket = await createBucket(context, {
      name: 'pictures.example',
      region: 'qc-south-1',
      cors_enabled: true,
      cors_origins: [' https://example.ca ', 'https://example.ca'],
    });
    expect(bucket).toMatchObject({
      name: 'pictures.example',
      external_id: 'pictures.example',
      region: 'qc-south-1',
      status: 'active',
      cors_enabled: true,
      cors_origins: ['https://example.ca'],
      object_count: 0,
      stored_bytes: 0,
    });
    expect(await getBucket(context, { bucket_id: bucket.id })).toEqual(bucket);
    expect((await auditRows(context, bucket.id)).map(({ action }) => action)).toEqual(['bucket.create']);
  });

  it.each([
    ['ab'],
    ['a'.repeat(64)],
    ['Upper'],
    ['under_score'],
    ['-front'],
    ['back.'],
    ['two..dots'],
    ['192.0.2.1'],
    ['a b'],
    [''],
  ])('rejects the name %j', async (name) => {
    const { context } = await prepare();
    await expect(createBucket(context, { name })).rejects.toMatchObject({ name: 'ZodError' });
  });

  it('assigns a name once, even for two simultaneous requests', async () => {
    const { app, context } = await prepare();
    const other = await createTestPerson(app);
    const results = await Promise.allSettled([
      createBucket(context, { name: 'wanted' }),
      createBucket(other.context, { name: 'wanted' }),
    ]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'bucket_name_taken' },
    });
  });

  it('enforces the organization’s limit', async () => {
    const { context } = await prepare({ LIMIT_BUCKETS: '1' });
    await createBucket(context, { name: 'first' });
    await expect(createBucket(context, { name: 'second' })).rejects.toMatchObject({
      code: 'limit_buckets',
    });
    expect(await listBuckets(context)).toHaveLength(1);
  });

  it('is for administrators of an organization with object storage, and for no credential', async () => {
    const { app, context } = await prepare();
    const shared = await createNamedOrganization(await createTestPerson(app));
    const writer = await createMember(shared, 'write');
    await expect(createBucket(writer.context, { name: 'rivers' })).rejects.toMatchObject({
      code: 'permission_required',
    });
    await expect(createBucket(credentialContext(context, []), { name: 'rivers' })).rejects.toMatchObject({
      code: expect.stringMatching(/permission_required|person_required/),
    });
    const without = { ...context, organization: { ...context.organization, features: [] } };
    for (const ask of [() => createBucket(without, { name: 'rivers' }), () => listBuckets(without)]) {
      await expect(ask()).rejects.toMatchObject({ code: 'feature_missing' });
    }
  });

  it('waits in an informative state while the store cannot be written to', async () => {
    const { app, context } = await prepare();
    const { blobs } = app;
    app.blobs = Object.assign(Object.create(blobs), {
      check: async () => {
        throw new Error('read-only file system');
      },
    });
    const bucket = await createBucket(context, { name: 'waiting' });
    expect(bucket.status).toBe('error');
    expect(await prepareBuckets(context)).toBe(0);
    app.blobs = blobs;
    app.clock.advance(60_000);
    expect(await prepareBuckets(context)).toBe(1);
    expect(await getBucket(context, { bucket_id: bucket.id })).toMatchObject({ status: 'active' });
  });
});

describe('updateBucket', () => {
  it('changes which websites may use the bucket, and nothing else', async () => {
    const { context, bucketId: bucket_id, ports } = await withBucket('shared');
    const on = await updateBucket(context, {
      bucket_id,
      cors_enabled: true,
      cors_origins: ['https://example.ca', 'https://*.example.com'],
    });
    expect(on).toMatchObject({
      cors_enabled: true,
      cors_origins: ['https://example.ca', 'https://*.example.com'],
    });
    expect((await ports.findBucket('shared'))?.corsRules).toHaveLength(1);
    const off = await updateBucket(context, { bucket_id, cors_enabled: false });
    expect(off).toMatchObject({ cors_enabled: false, cors_origins: [] });
    expect((await ports.findBucket('shared'))?.corsRules).toEqual([]);
    expect((await auditRows(context, bucket_id)).at(-1)).toMatchObject({
      action: 'bucket.update',
      before: { cors_enabled: true },
      after: { cors_enabled: false },
    });
  });

  it('changes and records nothing when the same is stored again', async () => {
    const { app, context, bucketId: bucket_id } = await withBucket('same');
    const settings = {
      bucket_id,
      cors_enabled: true,
      cors_origins: ['https://example.ca'],
      public_read: true,
    };
    const stored = await updateBucket(context, settings);
    const readRow = () => app.db.selectFrom('buckets').selectAll().where('id', '=', bucket_id).execute();
    const [rows, records] = [await readRow(), await auditRows(context, bucket_id)];
    app.clock.advance(1_000);
    expect(await updateBucket(context, settings)).toEqual(stored);
    expect(await updateBucket(context, { bucket_id })).toEqual(stored);
    expect([await readRow(), await auditRows(context, bucket_id)]).toEqual([rows, records]);
  });

  it('makes objects public for those who manage buckets, and records that alone', async () => {
    const { app, context, bucketId: bucket_id, ports } = await withBucket('open');
    await updateBucket(context, { bucket_id, cors_enabled: true, cors_origins: ['https://example.ca'] });
    expect(await updateBucket(context, { bucket_id, public_read: true })).toMatchObject({
      public_read: true,
      cors_origins: ['https://example.ca'],
    });
    await updateBucket(context, { bucket_id, public_read: true });
    const actions = (await auditRows(context, bucket_id)).map(({ action }) => action);
    expect(actions).toEqual(['bucket.create', 'bucket.update', 'bucket.publish']);
    expect(await ports.findBucket('open')).toMatchObject({ isPublic: true, isServedToAnyone: true });

    const shared = await createNamedOrganization(await createTestPerson(app));
    const { id: other } = await createBucket(shared, { name: 'shared' });
    const writer = await createMember(shared, 'write');
    await expect(updateBucket(writer.context, { bucket_id: other, public_read: true })).rejects.toMatchObject(
      {
        code: 'permission_required',
      },
    );
  });

  it('is not made public where an S3 client has blocked that', async () => {
    const { context, bucketId: bucket_id, ports } = await withBucket('blocked');
    const made = await updateBucket(context, { bucket_id, public_read: true });
    expect(made.public_read).toBe(true);
    const bucket = await ports.findBucket('blocked');
    if (bucket === null) throw new Error('no bucket');
    const access = clientOf(context);
    const block = {
      blockPublicAcls: false,
      ignorePublicAcls: false,
      blockPublicPolicy: false,
      restrictPublicBuckets: true,
    };
    await ports.setPublicAccessBlock(bucket, access, block);
    expect(await ports.findBucket('blocked')).toMatchObject({ isPublic: true, publicAccessBlock: block });
    expect((await getBucket(context, { bucket_id })).public_read).toBe(false);
    for (const each of [block, { ...block, restrictPublicBuckets: false, blockPublicPolicy: true }]) {
      await ports.setPublicAccessBlock(bucket, access, each);
      await expect(updateBucket(context, { bucket_id, public_read: true })).rejects.toMatchObject({
        code: 'public_access_blocked',
      });
    }
    await updateBucket(context, { bucket_id, public_read: false });
    expect((await auditRows(context, bucket_id)).at(-1)).toMatchObject({ action: 'bucket.unpublish' });
    await ports.setPublicAccessBlock(bucket, access, null);
    expect(await updateBucket(context, { bucket_id, public_read: true })).toMatchObject({
      public_read: true,
    });
    expect(
      (await auditRows(context, bucket_id)).filter(({ action }) => action === 'bucket.update'),
    ).toMatchObject([
      { before: { public_access_block: null }, after: { public_access_block: block } },
      {},
      {},
      { after: { public_access_block: null } },
    ]);
  });

  it('stops serving the public at the organization’s spending limit', async () => {
    const { app, context, bucketId: bucket_id, ports } = await withBucket('costly');
    await updateBucket(context, { bucket_id, public_read: true });
    const { id } = context.organization;
    const stop = { organization_id: id, resource_id: id, scope: 'organization', mode: 'sandbox' } as const;
    const at = { year: 2026, month: 3, created_at: app.clock.now() };
    await app.db
      .insertInto('spending_stops')
      .values({ ...stop, ...at })
      .execute();
    expect(await ports.findBucket('costly')).toMatchObject({ isPublic: true, isServedToAnyone: false });
  });

  it('rejects an invalid origin, and a bucket that is being deleted', async () => {
    const { context, bucketId: bucket_id } = await withBucket('strict');
    for (const origin of ['example.ca', 'javascript:alert(1)', 'https://a/b', 'https://*.*.ca']) {
      await expect(
        updateBucket(context, { bucket_id, cors_enabled: true, cors_origins: [origin] }),
      ).rejects.toMatchObject({ name: 'ZodError' });
    }
    await deleteBucket(context, { bucket_id });
    await expect(updateBucket(context, { bucket_id, cors_enabled: false })).rejects.toMatchObject({
      code: 'bucket_not_active',
    });
  });
});

describe('deleteBucket', () => {
  it('makes the bucket unreachable immediately, then removes its content, then frees its name', async () => {
    const world = await withBucket('leaving');
    const { app, context, bucketId: bucket_id, bucket, ports, put } = world;
    for (const key of ['a', 'b', 'c']) await put(key, key);
    await world.putSmall('small', 'small');
    const told = { headers: {}, metadata: {}, tags: [], checksum: null };
    const upload = await ports.createUpload(bucket, A_CLIENT, { key: 'open', ...told });
    const part = { id: 'part', partNumber: 1, size: 1, etag: 'e', checksum: null, content: null };
    await ports.putPart(bucket, upload, part);
    await deleteBucket(context, { bucket_id });
    expect(await ports.findBucket('leaving')).toBeNull();
    await expect(put('d', 'd')).rejects.toMatchObject({ code: 'NoSuchBucket' });
    expect(await getBucket(context, { bucket_id })).toMatchObject({ status: 'deleting' });
    await expect(createBucket(context, { name: 'leaving' })).rejects.toMatchObject({
      code: 'bucket_name_taken',
    });

    expect(await purgeDeletedBuckets(context, going())).toBe(1);
    await expect(getBucket(context, { bucket_id })).rejects.toMatchObject({ code: 'bucket_not_found' });
    expect(await app.db.selectFrom('removed_pieces').select('id').execute()).toHaveLength(4);
    for (const table of ['objects', 'object_uploads', 'object_pieces'] as const) {
      expect(await app.db.selectFrom(table).select('bucket_id').execute()).toEqual([]);
    }
    expect(await createBucket(context, { name: 'leaving' })).toMatchObject({ object_count: 0 });
  });

  it('changes nothing when repeated, and only finds buckets of the organization', async () => {
    const { app, context, bucketId: bucket_id } = await withBucket('twice');
    await deleteBucket(context, { bucket_id });
    await deleteBucket(context, { bucket_id });
    const deletions = (await auditRows(context, bucket_id)).filter(
      ({ action }) => action === 'bucket.delete',
    );
    expect(deletions).toHaveLength(1);
    const stranger = await createTestPerson(app);
    await expect(deleteBucket(stranger.context, { bucket_id })).rejects.toMatchObject({
      code: 'bucket_not_found',
    });
  });
});

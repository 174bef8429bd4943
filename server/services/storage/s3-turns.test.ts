import { expect, it, vi } from 'vitest';
import { currentAsker } from '#db/asker.ts';
import { md5Of, s3PortsOf, withBucket } from '#tests/support/storage/buckets.ts';
import { createCredential } from '../credentials/create-credential.ts';

it('whatever an S3 client does in a bucket asks the database for its owner, who takes turns with others', async () => {
  const { app, context, bucketId, bucket } = await withBucket('asking');
  const { credential } = await createCredential(context, {
    name: 'everything',
    may_create_buckets: true,
    scopes: [{ resource_type: 'bucket', resource_id: bucketId, permissions: ['read', 'write'] }],
  });
  const ports = s3PortsOf(app);
  const access = await ports.findAccess(credential.public_key);
  if (access === null) throw new Error('the credential is not found');
  const executor = app.db.getExecutor();
  const provide = executor.provideConnection.bind(executor);
  let askers = new Set<string | null>();
  vi.spyOn(executor, 'provideConnection').mockImplementation((consumer) => {
    askers.add(currentAsker());
    return provide(consumer);
  });
  const facts = { headers: {}, metadata: {}, tags: [], checksum: null };
  const pieceOf = (id: string) => ({
    ...{ id, size: 1, content: Buffer.from('a') },
    ...{ etag: md5Of('a'), checksum: null },
  });
  const upload = await ports.createUpload(bucket, access, { key: 'parts', ...facts });
  const done = { etag: 'e-1', checksum: null, pieceIds: ['part'], size: 1 };
  const everything: Record<string, () => Promise<unknown>> = {
    listBuckets: () => ports.listBuckets(access),
    createBucket: () => ports.createBucket(access, 'asking-too', []),
    setCorsRules: () => ports.setCorsRules(bucket, access, []),
    setBucketTags: () => ports.setBucketTags(bucket, access, []),
    setPublicRead: () => ports.setPublicRead(bucket, access, true),
    setPublicAccessBlock: () => ports.setPublicAccessBlock(bucket, access, null),
    putObject: () =>
      ports.putObject(bucket, { key: 'a', etag: 'e', ...facts }, pieceOf('piece'), { kind: 'none' }),
    findObject: () => ports.findObject(bucket, 'a'),
    setTags: () => ports.setTags(bucket, 'a', []),
    listObjects: () => ports.listObjects(bucket, { prefix: '', after: '', limit: 10 }),
    listPieces: () => ports.listPieces(bucket, 'content'),
    findUpload: () => ports.findUpload(bucket, 'parts', upload.id),
    listUploads: () => ports.listUploads(bucket, { prefix: '', afterKey: '', afterId: '', limit: 10 }),
    putPart: () => ports.putPart(bucket, upload, { ...pieceOf('part'), partNumber: 1 }),
    listParts: () => ports.listParts(bucket, upload.id, { after: 0, limit: 10 }),
    completeUpload: () => ports.completeUpload(bucket, upload, done, { kind: 'none' }),
    deleteBucket: () => ports.deleteBucket(bucket, access).catch(() => undefined),
  };
  for (const [name, ask] of Object.entries(everything)) {
    // What was known for a second is looked up again.
    app.clock.advance(60_000);
    askers = new Set();
    await ask();
    expect([name, ...askers]).toEqual([name, bucket.ownerId]);
  }
});

it('long work of one organization waits for itself, and that of another does not wait for it', async () => {
  const { app, bucket } = await withBucket('long-work');
  const ports = s3PortsOf(app);
  const end = Promise.withResolvers<void>();
  let begun = 0;
  const work = async () => {
    begun += 1;
    await end.promise;
  };
  const all = Array.from({ length: 1_008 }, () => ports.asLongWork(bucket, work));
  await expect.poll(() => begun).toBe(8);
  await expect(ports.asLongWork(bucket, work)).rejects.toMatchObject({ code: 'SlowDown' });
  const other = { ownerId: 'another organization' };
  expect(await ports.asLongWork(other, async () => 'done meanwhile')).toBe('done meanwhile');
  end.resolve();
  await Promise.all(all);
  expect(begun).toBe(1_008);
});

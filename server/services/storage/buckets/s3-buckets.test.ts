import { describe, expect, it } from 'vitest';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { withBucket } from '#tests/support/storage/buckets.ts';
import { createCredential } from '../../credentials/create-credential.ts';
import { deleteBucket } from './delete-bucket.ts';

const TAGS = [['team', 'web']] as const;

/** A bucket and how an S3 client that may write to it sees it. */
async function prepare() {
  const world = await withBucket('settings');
  const { credential } = await createCredential(world.context, {
    name: 'client',
    scopes: [{ resource_type: 'bucket', resource_id: world.bucketId, permissions: ['read', 'write'] }],
  });
  const access = await world.ports.findAccess(credential.public_key);
  if (access === null) throw new Error('the credential is not valid');
  return { ...world, access };
}

describe('what S3 clients set of a bucket', () => {
  it('is limited as all changes of the organization are, and says so as S3 does', async () => {
    const { app, ports, bucket, access } = await prepare();
    app.rateLimits = createRateLimits({ changes_organization: { points: 3, seconds: 3600 } }, () => 0);
    await ports.setBucketTags(bucket, access, TAGS);
    await ports.setCorsRules(bucket, access, []);
    await ports.setPublicAccessBlock(bucket, access, null);
    const tooMuch = [
      () => ports.setBucketTags(bucket, access, []),
      () => ports.setCorsRules(bucket, access, []),
      () => ports.setPublicAccessBlock(bucket, access, null),
    ];
    for (const change of tooMuch) await expect(change()).rejects.toMatchObject({ code: 'SlowDown' });
    expect((await ports.findBucket(bucket.name))?.tags).toEqual(TAGS);
  });

  it('is not recorded for a bucket that has just been deleted', async () => {
    const { app, context, ports, bucket, access } = await prepare();
    await deleteBucket(context, { bucket_id: bucket.id });
    await expect(ports.setBucketTags(bucket, access, TAGS)).rejects.toMatchObject({ code: 'NoSuchBucket' });
    const updates = app.db.selectFrom('audit_events').select('id').where('action', '=', 'bucket.update');
    expect(await updates.execute()).toEqual([]);
  });
});

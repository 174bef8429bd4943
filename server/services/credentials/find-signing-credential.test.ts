import { describe, expect, it } from 'vitest';
import { withBucket } from '#tests/support/storage/buckets.ts';
import { createCredential } from './create-credential.ts';
import { deleteCredential } from './delete-credential.ts';
import { findSigningCredential } from './find-signing-credential.ts';

/** A credential that reads a bucket, and what it can do by now. */
async function withKeys(options: { expires_at?: string; may_create_buckets?: boolean } = {}) {
  const { app, bucketId, context } = await withBucket('cellar');
  const scopes = [
    { resource_type: 'bucket' as const, resource_id: bucketId, permissions: ['read' as const] },
  ];
  const { credential, secret_key } = await createCredential(context, { name: 'CI', scopes, ...options });
  const set = (is_active: 0 | 1) =>
    app.db.updateTable('credentials').set({ is_active }).where('id', '=', credential.id).execute();
  const setOrganization = (suspended_at: number | null, detached_at: number | null = null) =>
    app.db
      .updateTable('organizations')
      .set({ suspended_at, detached_at })
      .where('id', '=', context.organization.id)
      .execute();
  const find = () => findSigningCredential(app, credential.public_key);
  return { app, bucketId, context, credential, secret_key, set, setOrganization, find };
}

describe('a credential that signs requests', () => {
  it('has its secret and reaches what its scopes allow', async () => {
    const { bucketId, context, secret_key, find } = await withKeys();
    const found = await find();
    expect(found).toMatchObject({ secretKey: secret_key, ownerId: context.organization.id });
    expect(found?.mayReach(bucketId, 'read')).toBe(true);
    expect(found?.mayReach(bucketId, 'write')).toBe(false);
    expect(found?.mayReach('another', 'read')).toBe(false);
  });

  it('creates buckets only if it may', async () => {
    for (const may_create_buckets of [true, false]) {
      const { find } = await withKeys({ may_create_buckets });
      expect((await find())?.mayCreateBuckets).toBe(may_create_buckets);
    }
  });

  it('is not accepted from the moment on at which it expires', async () => {
    const { app, find } = await withKeys({ expires_at: '2026-03-01T12:01:00Z' });
    app.clock.advance(59_999);
    expect(await find()).not.toBeNull();
    app.clock.advance(1);
    expect(await find()).toBeNull();
  });

  it('is not accepted while it is inactive, and no longer once it is deleted', async () => {
    const { context, credential, set, find } = await withKeys();
    await set(0);
    expect(await find()).toBeNull();
    await set(1);
    expect(await find()).not.toBeNull();
    await deleteCredential(context, { credential_id: credential.id });
    expect(await find()).toBeNull();
  });

  it('is not accepted while its organization is suspended or gone', async () => {
    const { app, setOrganization, find } = await withKeys();
    await setOrganization(app.clock.now());
    expect(await find()).toBeNull();
    await setOrganization(null, app.clock.now());
    expect(await find()).toBeNull();
    await setOrganization(null);
    expect(await find()).not.toBeNull();
  });
});

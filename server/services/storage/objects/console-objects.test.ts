import { describe, expect, it } from 'vitest';
import { withBucket } from '#tests/support/storage/buckets.ts';
import { consoleKeys, findConsoleAccess } from '../buckets/console-access.ts';
import { getBucket } from '../buckets/get-bucket.ts';
import { deleteObjects } from './delete-objects.ts';
import { getObject } from './get-object.ts';
import { listObjects } from './list-objects.ts';
import { shareObject } from './share-object.ts';
import { signObject } from './sign-object.ts';

type World = Awaited<ReturnType<typeof withBucket>>;
const namesOf = async ({ context, bucketId: bucket_id }: World, input: object = {}) => {
  const page = await listObjects(context, { bucket_id, ...input });
  return { names: page.items.map(({ kind, key }) => `${kind} ${key}`), next: page.next_cursor };
};

describe('the content of a bucket', () => {
  it('is listed by folder, from a folder on, by prefix, and page by page', async () => {
    const world = await withBucket('folders');
    for (const key of ['a.txt', 'b/1', 'b/2', 'b/c/3', 'd.txt', 'été.txt']) await world.put(key, key);
    expect((await namesOf(world)).names).toEqual([
      'object a.txt',
      'folder b/',
      'object d.txt',
      'object été.txt',
    ]);
    expect((await namesOf(world, { prefix: 'b/' })).names).toEqual([
      'object b/1',
      'object b/2',
      'folder b/c/',
    ]);
    expect((await namesOf(world, { prefix: 'b/', search: 'c' })).names).toEqual(['folder b/c/']);
    expect((await namesOf(world, { search: 'x' })).names).toEqual([]);
    const first = await namesOf(world, { limit: 2 });
    expect(first.names).toEqual(['object a.txt', 'folder b/']);
    const second = await namesOf(world, { limit: 2, cursor: first.next ?? '' });
    expect(second).toEqual({ names: ['object d.txt', 'object été.txt'], next: null });
  });

  it('rejects an invalid cursor', async () => {
    const world = await withBucket('cursors');
    for (const cursor of ['AA', '_w', '']) {
      await expect(namesOf(world, { cursor })).rejects.toMatchObject({ code: 'invalid_input' });
    }
  });

  it('is described object by object', async () => {
    const { context, bucketId: bucket_id, put } = await withBucket('told');
    await put('a', 'content');
    const told = await getObject(context, { bucket_id, key: 'a' });
    expect(told).toMatchObject({ key: 'a', size: 7, part_count: null, tags: [], metadata: {} });
    await expect(getObject(context, { bucket_id, key: 'b' })).rejects.toMatchObject({
      code: 'object_not_found',
    });
  });

  it('is deleted by keys and below prefixes, counted, and recorded in the audit log', async () => {
    const world = await withBucket('deleted');
    const { app, context, bucketId: bucket_id, put, read } = world;
    for (const key of ['a', 'b/1', 'b/2', 'b/c/3', 'bb', 'd']) await put(key, key);
    const removal = await deleteObjects(context, { bucket_id, keys: ['a', 'none'], prefixes: ['b/'] });
    expect(removal).toEqual({ removed_objects: 4, is_done: true });
    expect((await namesOf(world)).names).toEqual(['object bb', 'object d']);
    expect(await read('b/c/3')).toBeNull();
    expect(await getBucket(context, { bucket_id })).toMatchObject({ object_count: 2, stored_bytes: 3 });
    const logged = await app.db
      .selectFrom('audit_events')
      .select('before')
      .where('action', '=', 'bucket.remove_objects')
      .execute();
    expect(logged.map(({ before }) => JSON.parse(before ?? ''))).toMatchObject([{ removed_objects: 4 }]);
  });

  it('is deleted a thousand at a time', async () => {
    const { app, context, bucketId: bucket_id, bucket, ports, put } = await withBucket('large');
    await put('folder/0', 'x');
    const [row] = await app.db.selectFrom('objects').selectAll().execute();
    if (row === undefined) throw new Error('no row');
    const rows = Array.from({ length: 1_004 }, (_, index) => ({
      ...row,
      key: `folder/${index + 1}`,
      content_id: `content-${index}`,
    }));
    for (let at = 0; at < rows.length; at += 50)
      await app.db
        .insertInto('objects')
        .values(rows.slice(at, at + 50))
        .execute();
    const remove = () => deleteObjects(context, { bucket_id, prefixes: ['folder/'] });
    expect(await remove()).toEqual({ removed_objects: 1_000, is_done: false });
    // Missing keys do not block the rest.
    const keys = Array.from({ length: 1_000 }, (_, index) => `gone/${index}`);
    const rest = await deleteObjects(context, { bucket_id, keys, prefixes: ['folder/'] });
    expect(rest).toEqual({ removed_objects: 5, is_done: true });
    expect(await ports.findObject(bucket, 'folder/0')).toBeNull();
  });
});

describe('an address signed by the console', () => {
  const keysOf = ({ context, bucketId }: World) => {
    const { actor, organization, app } = context;
    if (actor.kind !== 'person') throw new Error('nobody');
    return consoleKeys(app, { organizationId: organization.id, userId: actor.userId, bucketId });
  };

  it('is limited to the person’s access: in this bucket, while they belong to it and are not blocked', async () => {
    const world = await withBucket('signed');
    const { app, bucketId, context } = world;
    const { accessKeyId, secretKey } = keysOf(world);
    const access = await findConsoleAccess(app, accessKeyId);
    expect(access?.secretKey).toBe(secretKey);
    expect(access?.mayReach(bucketId, 'write')).toBe(true);
    expect(access?.mayReach('another', 'read')).toBe(false);
    await app.db.updateTable('memberships').set({ permission: 'read' }).execute();
    const reader = await findConsoleAccess(app, accessKeyId);
    expect([reader?.mayReach(bucketId, 'read'), reader?.mayReach(bucketId, 'write')]).toEqual([true, false]);
    const { id } = context.organization;
    const suspend = (suspended_at: number | null) =>
      app.db.updateTable('organizations').set({ suspended_at }).where('id', '=', id).execute();
    await suspend(1);
    expect(await findConsoleAccess(app, accessKeyId)).toBeNull();
    await suspend(null);
    const block = (blocked_at: number | null) => app.db.updateTable('users').set({ blocked_at }).execute();
    await block(1);
    expect(await findConsoleAccess(app, accessKeyId)).toBeNull();
    await block(null);
    expect(await findConsoleAccess(app, accessKeyId)).not.toBeNull();
    await app.db.deleteFrom('memberships').where('organization_id', '=', id).execute();
    expect(await findConsoleAccess(app, accessKeyId)).toBeNull();
  });

  it('contains the operation, the object and its expiry', async () => {
    const { context, bucketId: bucket_id, put } = await withBucket('addresses');
    await put('a b/é.txt', 'x');
    const key = 'a b/é.txt';
    const signed = await signObject(context, { bucket_id, key, operation: 'get', disposition: 'attachment' });
    const [url = ''] = signed.urls;
    expect(new URL(url).pathname).toBe('/addresses/a%20b/%C3%A9.txt');
    expect(new URL(url).searchParams.get('response-content-disposition')).toBe(
      "attachment; filename*=UTF-8''%C3%A9.txt",
    );
    const parts = await signObject(context, {
      bucket_id,
      key,
      operation: 'upload_parts',
      upload_id: 'upload',
      part_numbers: [1, 2],
    });
    expect(parts.urls.map((part) => new URL(part).searchParams.get('partNumber'))).toEqual(['1', '2']);
    const link = await shareObject(context, { bucket_id, key, expires_in_seconds: 600 });
    expect(new URL(link.url).searchParams.get('X-Amz-Expires')).toBe('600');
    await expect(
      shareObject(context, { bucket_id, key: 'none', expires_in_seconds: 600 }),
    ).rejects.toMatchObject({ code: 'object_not_found' });
    await expect(
      shareObject(context, { bucket_id, key, expires_in_seconds: 8 * 24 * 3_600 }),
    ).rejects.toThrow();
  });

  it('is signed for people with permission, for active buckets', async () => {
    const { app, context, bucketId: bucket_id } = await withBucket('rights');
    const reader = { ...context, organization: { ...context.organization, permission: 'read' as const } };
    const put = { bucket_id, key: 'a', operation: 'put' as const };
    await expect(signObject(reader, put)).rejects.toMatchObject({ code: 'permission_required' });
    await expect(deleteObjects(reader, { bucket_id, keys: ['a'] })).rejects.toMatchObject({
      code: 'permission_required',
    });
    const credential = {
      ...context,
      actor: {
        kind: 'credential' as const,
        credentialId: 'c',
        name: 'c',
        organizationId: context.organization.id,
        scopes: [],
      },
    };
    await expect(signObject(credential, put)).rejects.toMatchObject({ code: 'person_required' });
    await expect(listObjects(credential, { bucket_id })).rejects.toMatchObject({ code: 'out_of_scope' });
    await app.db.updateTable('buckets').set({ status: 'deleting' }).execute();
    await expect(signObject(context, put)).rejects.toMatchObject({ code: 'bucket_not_active' });
    await expect(listObjects(context, { bucket_id: 'none' })).rejects.toMatchObject({
      code: 'bucket_not_found',
    });
  });
});

import { expect, it } from 'vitest';
import type { OrganizationContext } from '#server/context.ts';
import { credentialContext } from '#tests/support/app/credential-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createBucket } from './create-bucket.ts';
import { listBuckets } from './list-buckets.ts';
import { pageBuckets } from './page-buckets.ts';

/** Returns the names on each page of two. */
async function readAll(context: OrganizationContext, search?: string) {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const { items, next_cursor } = await pageBuckets(context, { limit: 2, search, cursor });
    pages.push(items.map(({ name }) => name));
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

it('buckets come in pages by name, those that a search finds, as they are in the whole list', async () => {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const stranger = await createTestPerson(app);
  await createBucket(stranger.context, { name: 'b-0-photos' });
  for (const name of ['b-5', 'b-3-photos', 'b-1', 'b-4', 'b-2-photos']) await createBucket(context, { name });
  expect(await readAll(context)).toEqual([['b-1', 'b-2-photos'], ['b-3-photos', 'b-4'], ['b-5']]);
  expect(await readAll(context, 'PHOTOS b')).toEqual([['b-2-photos', 'b-3-photos']]);
  expect(await readAll(context, 'nowhere')).toEqual([[]]);
  expect((await pageBuckets(context, { limit: 5 })).items).toEqual(await listBuckets(context));
});

it('a page of buckets has those that a credential can read', async () => {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const seen = await createBucket(context, { name: 'seen' });
  await createBucket(context, { name: 'unseen' });
  const scoped = credentialContext(context, []);
  const scopes = [{ resource_type: 'bucket' as const, resource_id: seen.id, permissions: ['read' as const] }];
  const { actor } = scoped;
  if (actor.kind !== 'credential') throw new Error('not a credential');
  expect(await readAll({ ...scoped, actor: { ...actor, scopes } })).toEqual([['seen']]);
  expect(await readAll(scoped)).toEqual([[]]);
});

it('there is no page of buckets without object storage', async () => {
  const { context } = await createTestPerson(await createTestApp());
  const without = { ...context, organization: { ...context.organization, features: [] } };
  await expect(pageBuckets(without, {})).rejects.toMatchObject({ code: 'feature_missing' });
});

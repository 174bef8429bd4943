import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { readTextCursor, toPage, toTextCursor } from '../../shared/pages.ts';
import { matchesQuery } from '../../shared/search-rules.ts';
import { selectBuckets, toBucket } from '../queries.ts';
import { requireStorage } from '../require-storage.ts';
import { type Bucket, pageBucketsInput } from '../schema.ts';
import { readableBucketIds } from './readable-buckets.ts';

/**
 * Returns a page of the organization's buckets by name, those whose name contains every word of `search`; for a
 * credential, those that it can access.
 * @throws feature_missing
 */
export async function pageBuckets(
  context: OrganizationContext,
  input: z.input<typeof pageBucketsInput>,
): Promise<{ items: Bucket[]; next_cursor: string | null }> {
  requireAction(context, 'bucket.read');
  requireStorage(context);
  const { cursor, limit, search } = pageBucketsInput.parse(input);
  const { app, organization } = context;
  const readable = readableBucketIds(context);
  // Only the names of all are read: a bucket's sums are statements of their own.
  const names = await app.db
    .selectFrom('buckets')
    .select(['id', 'name'])
    .where('organization_id', '=', organization.id)
    .where('name', '>', readTextCursor(cursor))
    .$if(readable !== null, (query) => query.where('id', 'in', readable?.length ? readable : ['']))
    .orderBy('name')
    .$if(search === undefined, (query) => query.limit(limit + 1))
    .execute();
  const found = names.filter(({ name }) => matchesQuery(search ?? '', name));
  const { page, next_cursor } = toPage(found, limit, ({ name }) => toTextCursor(name));
  if (page.length === 0) return { items: [], next_cursor };
  const ids = page.map(({ id }) => id);
  const rows = await selectBuckets(app.db, organization.id).where('id', 'in', ids).orderBy('name').execute();
  return { items: rows.map(toBucket), next_cursor };
}

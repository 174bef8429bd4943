import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { readTextCursor, toPage, toTextCursor } from '../../shared/pages.ts';
import { searchInBatches } from '../../shared/search-in-batches.ts';
import { matchesQuery } from '../../shared/search-rules.ts';
import { selectBuckets, toBucket } from '../queries.ts';
import { requireStorage } from '../require-storage.ts';
import { type Bucket, pageBucketsInput } from '../schema.ts';
import { readableBucketIds } from './readable-buckets.ts';

interface BucketName {
  id: string;
  name: string;
}

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
  // Only names are searched: a bucket's sums are statements of their own.
  const read = (after: string, atOnce: number) =>
    app.db
      .selectFrom('buckets')
      .select(['id', 'name'])
      .where('organization_id', '=', organization.id)
      .where('name', '>', after)
      .$if(readable !== null, (query) => query.where('id', 'in', readable?.length ? readable : ['']))
      .orderBy('name')
      .limit(atOnce)
      .execute();
  const start = readTextCursor(cursor);
  const found =
    search === undefined
      ? await read(start, limit + 1)
      : await searchInBatches(context, {
          read: (after: BucketName | undefined, atOnce) => read(after?.name ?? start, atOnce),
          filter: (rows) => rows.filter(({ name }) => matchesQuery(search, name)),
          count: limit + 1,
        });
  const { page, next_cursor } = toPage(found, limit, ({ name }) => toTextCursor(name));
  if (page.length === 0) return { items: [], next_cursor };
  const ids = page.map(({ id }) => id);
  const rows = await selectBuckets(app.db, organization.id).where('id', 'in', ids).orderBy('name').execute();
  return { items: rows.map(toBucket), next_cursor };
}

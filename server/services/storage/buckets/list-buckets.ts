import { type OrganizationContext, requireAction } from '#server/context.ts';
import { selectBuckets, toBucket } from '../queries.ts';
import { requireStorage } from '../require-storage.ts';
import type { Bucket } from '../schema.ts';
import { readableBucketIds } from './readable-buckets.ts';

/**
 * Returns the organization's buckets by name; for a credential, those that it can access.
 * @throws feature_missing
 */
export async function listBuckets(context: OrganizationContext): Promise<Bucket[]> {
  requireAction(context, 'bucket.read');
  requireStorage(context);
  const { app, organization } = context;
  const rows = await selectBuckets(app.db, organization.id).orderBy('name').execute();
  const buckets = rows.map(toBucket);
  const readable = readableBucketIds(context);
  if (readable === null) return buckets;
  const ids = new Set(readable);
  return buckets.filter(({ id }) => ids.has(id));
}

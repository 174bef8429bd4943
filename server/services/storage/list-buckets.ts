import { type OrganizationContext, requireAction } from '#server/context.ts';
import { selectBuckets, toBucket } from './queries.ts';
import { requireStorage } from './require-storage.ts';
import type { Bucket } from './schema.ts';

/**
 * Returns the organization's buckets by name; for a credential, those that it can access.
 * @throws feature_missing
 */
export async function listBuckets(context: OrganizationContext): Promise<Bucket[]> {
  requireAction(context, 'bucket.read');
  requireStorage(context);
  const { actor, app, organization } = context;
  const rows = await selectBuckets(app.db, organization.id).orderBy('name').execute();
  const buckets = rows.map(toBucket);
  if (actor.kind !== 'credential') return buckets;
  const reached = new Set(
    actor.scopes
      .filter(({ resource_type, permissions }) => resource_type === 'bucket' && permissions.includes('read'))
      .map(({ resource_id }) => resource_id),
  );
  return buckets.filter(({ id }) => reached.has(id));
}

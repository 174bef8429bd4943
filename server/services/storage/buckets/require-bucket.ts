import { type OrganizationContext, requireAction, requireBucketScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Action } from '../../organizations/rules.ts';
import { type BucketRow, findBucket } from '../queries.ts';
import { requireStorage } from '../require-storage.ts';

/**
 * Returns an active bucket that the caller may read.
 * @throws permission_required, out_of_scope, feature_missing, bucket_not_found, bucket_not_active
 */
export async function requireBucket(
  context: OrganizationContext,
  bucketId: string,
  action: Extract<Action, `object.${string}`>,
): Promise<BucketRow> {
  requireAction(context, action);
  requireStorage(context);
  requireBucketScope(context, bucketId, action === 'object.write' ? 'write' : 'read');
  const row = await findBucket(context.app.db, context.organization.id, bucketId);
  if (row === null) throw new AppError('bucket_not_found');
  if (row.status !== 'active') throw new AppError('bucket_not_active');
  return row;
}

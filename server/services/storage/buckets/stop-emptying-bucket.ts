import type { z } from 'zod';
import { type OrganizationContext, requireAction, requireBucketScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { findBucket, toBucket } from '../queries.ts';
import { requireStorage } from '../require-storage.ts';
import { type Bucket, bucketInput } from '../schema.ts';

/**
 * Stops the emptying of a bucket, and returns the bucket; what was removed stays removed. Does nothing when
 * it is not being emptied.
 * @throws permission_required, out_of_scope, feature_missing, bucket_not_found
 */
export async function stopEmptyingBucket(
  context: OrganizationContext,
  input: z.input<typeof bucketInput>,
): Promise<Bucket> {
  requireAction(context, 'bucket.manage');
  requireStorage(context);
  const { bucket_id } = bucketInput.parse(input);
  requireBucketScope(context, bucket_id, 'write');
  const { organization } = context;
  return inUnitOfWork(context, async ({ trx, audit }) => {
    const row = await findBucket(trx, organization.id, bucket_id);
    if (row === null) throw new AppError('bucket_not_found');
    const { numDeletedRows } = await trx
      .deleteFrom('bucket_emptyings')
      .where('bucket_id', '=', bucket_id)
      .executeTakeFirst();
    const bucket = toBucket(row);
    if (numDeletedRows === 0n || bucket.emptying === null) return bucket;
    const { removed_objects, object_total } = bucket.emptying;
    await audit({
      action: 'bucket.empty_stop',
      resource_type: 'bucket',
      resource_id: bucket_id,
      organization_id: organization.id,
      after: { name: bucket.name, removed_objects, object_total },
    });
    return { ...bucket, emptying: null };
  });
}

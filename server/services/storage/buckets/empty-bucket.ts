import type { z } from 'zod';
import { type OrganizationContext, requireAction, requireBucketScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { findBucket, toBucket } from '../queries.ts';
import { requireStorage } from '../require-storage.ts';
import { type Bucket, bucketInput } from '../schema.ts';

/**
 * Makes a job remove everything that a bucket currently contains, and returns the bucket. Clients can keep
 * using it, and what they store later is kept. If requested again, the job starts over including what has
 * been added since.
 * @throws permission_required, out_of_scope, feature_missing, bucket_not_found, bucket_not_active
 */
export async function emptyBucket(
  context: OrganizationContext,
  input: z.input<typeof bucketInput>,
): Promise<Bucket> {
  requireAction(context, 'bucket.manage');
  requireStorage(context);
  const { bucket_id } = bucketInput.parse(input);
  requireBucketScope(context, bucket_id, 'write');
  const { organization } = context;
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const before = await findBucket(trx, organization.id, bucket_id);
    if (before === null) throw new AppError('bucket_not_found');
    if (before.status !== 'active') throw new AppError('bucket_not_active');
    const { name, object_count, stored_bytes } = toBucket(before);
    const removed = before.removed_objects ?? 0;
    const begun = { requested_at: now, object_total: removed + object_count, after_key: '' };
    await trx
      .insertInto('bucket_emptyings')
      .values({ bucket_id, removed_objects: 0, ...begun })
      .onConflict((conflict) => conflict.column('bucket_id').doUpdateSet(begun))
      .execute();
    await audit({
      action: 'bucket.empty',
      resource_type: 'bucket',
      resource_id: bucket_id,
      organization_id: organization.id,
      before: { name, object_count, stored_bytes },
    });
    const row = await findBucket(trx, organization.id, bucket_id);
    if (row === null) throw new AppError('bucket_not_found');
    return toBucket(row);
  });
}

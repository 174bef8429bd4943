import type { z } from 'zod';
import { type OrganizationContext, requireAction, requireBucketScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { consoleCorsRules } from './console-cors.ts';
import { findBucket, toBucket } from './queries.ts';
import { requireStorage } from './require-storage.ts';
import { type Bucket, updateBucketInput } from './schema.ts';

/**
 * Changes which browsers may use the bucket, and returns it. Rules set by an S3 client are replaced by those
 * of the list.
 * @throws permission_required, out_of_scope, feature_missing, bucket_not_found, bucket_not_active
 */
export async function updateBucket(
  context: OrganizationContext,
  input: z.input<typeof updateBucketInput>,
): Promise<Bucket> {
  requireAction(context, 'bucket.cors');
  requireStorage(context);
  const { bucket_id, cors_enabled, cors_origins = [] } = updateBucketInput.parse(input);
  requireBucketScope(context, bucket_id, 'write');
  const { organization } = context;
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const before = await findBucket(trx, organization.id, bucket_id);
    if (before === null) throw new AppError('bucket_not_found');
    const { numUpdatedRows } = await trx
      .updateTable('buckets')
      .set({
        cors_rules: JSON.stringify(consoleCorsRules(cors_enabled, cors_origins)),
        updated_at: now,
      })
      .where('id', '=', bucket_id)
      .where('status', '=', 'active')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new AppError('bucket_not_active');
    const row = await findBucket(trx, organization.id, bucket_id);
    if (row === null) throw new AppError('bucket_not_found');
    const [old, updated] = [toBucket(before), toBucket(row)];
    await audit({
      action: 'bucket.update',
      resource_type: 'bucket',
      resource_id: bucket_id,
      organization_id: organization.id,
      before: { cors_enabled: old.cors_enabled, cors_origins: old.cors_origins },
      after: { cors_enabled: updated.cors_enabled, cors_origins: updated.cors_origins },
    });
    return updated;
  });
}

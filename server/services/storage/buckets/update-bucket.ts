import type { z } from 'zod';
import { type OrganizationContext, requireAction, requireBucketScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { findBucket, readPublicAccessBlock, toBucket } from '../queries.ts';
import { requireStorage } from '../require-storage.ts';
import { type Bucket, updateBucketInput } from '../schema.ts';
import { consoleCorsRules } from './console-cors.ts';
import { requireBucketRight } from './require-bucket-right.ts';

/**
 * Changes which browsers may use the bucket, and whether anyone may read its objects, and returns it. Rules set by an S3 client
 * are replaced by those of the list.
 * @param mayBeRestricted whether the objects may be made public while a public access block leaves them to credentials
 * @throws permission_required, out_of_scope, feature_missing, bucket_not_found, bucket_not_active,
 * public_access_blocked
 */
export async function updateBucket(
  context: OrganizationContext,
  input: z.input<typeof updateBucketInput>,
  { mayBeRestricted = false } = {},
): Promise<Bucket> {
  requireAction(context, 'bucket.cors');
  requireStorage(context);
  const { bucket_id, cors_enabled, cors_origins, public_read } = updateBucketInput.parse(input);
  requireBucketScope(context, bucket_id, 'write');
  if (public_read !== undefined) requireBucketRight(context);
  const { organization } = context;
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const before = await findBucket(trx, organization.id, bucket_id);
    if (before === null) throw new AppError('bucket_not_found');
    const old = toBucket(before);
    const block = readPublicAccessBlock(before.public_access_block);
    const isRestricted = block?.restrictPublicBuckets && !mayBeRestricted;
    if (public_read && (block?.blockPublicPolicy || isRestricted)) {
      throw new AppError('public_access_blocked');
    }
    const changesCors = cors_enabled !== undefined || cors_origins !== undefined;
    const rules = consoleCorsRules(cors_enabled ?? old.cors_enabled, cors_origins ?? []);
    const { numUpdatedRows } = await trx
      .updateTable('buckets')
      .set({
        ...(changesCors && { cors_rules: JSON.stringify(rules) }),
        ...(public_read !== undefined && { public_read: public_read ? 1 : 0 }),
        updated_at: now,
      })
      .where('id', '=', bucket_id)
      .where('status', '=', 'active')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new AppError('bucket_not_active');
    const row = await findBucket(trx, organization.id, bucket_id);
    if (row === null) throw new AppError('bucket_not_found');
    const updated = toBucket(row);
    const about = {
      resource_type: 'bucket',
      resource_id: bucket_id,
      organization_id: organization.id,
    } as const;
    if (changesCors) {
      await audit({
        action: 'bucket.update',
        ...about,
        before: { cors_enabled: old.cors_enabled, cors_origins: old.cors_origins },
        after: { cors_enabled: updated.cors_enabled, cors_origins: updated.cors_origins },
      });
    }
    if (row.public_read !== before.public_read) {
      await audit({
        action: row.public_read === 1 ? 'bucket.publish' : 'bucket.unpublish',
        ...about,
        before: { public_read: before.public_read === 1 },
        after: { public_read: row.public_read === 1 },
      });
    }
    return updated;
  });
}

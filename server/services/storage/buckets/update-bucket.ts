import type { z } from 'zod';
import { type OrganizationContext, requireAction, requireBucketScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { type BucketRow, corsOf, findBucket, readPublicAccessBlock, toBucket } from '../queries.ts';
import { requireStorage } from '../require-storage.ts';
import { type Bucket, updateBucketInput } from '../schema.ts';
import { consoleCorsRules } from './console-cors.ts';
import { requireBucketRight } from './require-bucket-right.ts';

/**
 * Changes which browsers may use the bucket, and whether anyone may read its objects, and returns it. Rules set by an S3 client
 * are replaced by those of the list. Storing the same again changes and records nothing.
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
  const { bucket_id, ...wanted } = updateBucketInput.parse(input);
  requireBucketScope(context, bucket_id, 'write');
  if (wanted.public_read !== undefined) requireBucketRight(context);
  const { organization } = context;
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const before = await findBucket(trx, organization.id, bucket_id);
    if (before === null) throw new AppError('bucket_not_found');
    const block = readPublicAccessBlock(before.public_access_block);
    const isRestricted = block?.restrictPublicBuckets && !mayBeRestricted;
    if (wanted.public_read && (block?.blockPublicPolicy || isRestricted)) {
      throw new AppError('public_access_blocked');
    }
    if (before.status !== 'active') throw new AppError('bucket_not_active');
    const changed = changesOf(before, wanted);
    if (Object.keys(changed).length === 0) return toBucket(before);
    const { numUpdatedRows } = await trx
      .updateTable('buckets')
      .set({ ...changed, updated_at: now })
      .where('id', '=', bucket_id)
      .where('status', '=', 'active')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new AppError('bucket_not_active');
    const row = await findBucket(trx, organization.id, bucket_id);
    if (row === null) throw new AppError('bucket_not_found');
    const about = {
      resource_type: 'bucket',
      resource_id: bucket_id,
      organization_id: organization.id,
    } as const;
    if (changed.cors_rules !== undefined) {
      await audit({ action: 'bucket.update', ...about, before: corsOf(before), after: corsOf(row) });
    }
    if (changed.public_read !== undefined) {
      await audit({
        action: changed.public_read === 1 ? 'bucket.publish' : 'bucket.unpublish',
        ...about,
        before: { public_read: before.public_read === 1 },
        after: { public_read: changed.public_read === 1 },
      });
    }
    return toBucket(row);
  });
}

type BucketChanges = Partial<Pick<BucketRow, 'cors_rules' | 'public_read'>>;

/** Returns the columns that get another value; absent settings do not change. */
function changesOf(
  row: BucketRow,
  { cors_enabled, cors_origins, public_read }: Omit<z.output<typeof updateBucketInput>, 'bucket_id'>,
): BucketChanges {
  const changed: BucketChanges = {};
  if (cors_enabled !== undefined || cors_origins !== undefined) {
    const isEnabled = cors_enabled ?? corsOf(row).cors_enabled;
    const cors_rules = JSON.stringify(consoleCorsRules(isEnabled, cors_origins ?? []));
    if (cors_rules !== row.cors_rules) changed.cors_rules = cors_rules;
  }
  if (public_read !== undefined && public_read !== (row.public_read === 1)) {
    changed.public_read = public_read ? 1 : 0;
  }
  return changed;
}

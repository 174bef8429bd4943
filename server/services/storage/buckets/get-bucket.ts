import type { z } from 'zod';
import { type OrganizationContext, requireAction, requireBucketScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { findBucket, toBucket } from '../queries.ts';
import { requireStorage } from '../require-storage.ts';
import { type Bucket, bucketInput } from '../schema.ts';

/**
 * Returns a bucket.
 * @throws bucket_not_found, out_of_scope, feature_missing
 */
export async function getBucket(
  context: OrganizationContext,
  input: z.input<typeof bucketInput>,
): Promise<Bucket> {
  requireAction(context, 'bucket.read');
  requireStorage(context);
  const { bucket_id } = bucketInput.parse(input);
  requireBucketScope(context, bucket_id, 'read');
  const row = await findBucket(context.app.db, context.organization.id, bucket_id);
  if (row === null) throw new AppError('bucket_not_found');
  return toBucket(row);
}

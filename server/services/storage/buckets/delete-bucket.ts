import type { z } from 'zod';
import { isPostgres, type Trx } from '#db/client.ts';
import { type OrganizationContext, requireBucketScope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { S3Error } from '#server/s3/s3-error.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { findBucket } from '../queries.ts';
import { requireStorage } from '../require-storage.ts';
import { bucketInput } from '../schema.ts';
import { notePartsOfBucket } from '../uploads/note-parts.ts';
import { foldBucket } from './fold-bucket-changes.ts';
import { requireBucketRight } from './require-bucket-right.ts';

/**
 * Deletes a bucket with everything in it: it is unreachable from now on, a job removes its content, and then
 * its name is free. Deleting it again changes nothing.
 * @param options.onlyEmpty refuses a bucket that contains objects; unfinished uploads do not count
 * @throws permission_required, out_of_scope, feature_missing, bucket_not_found; S3Error BucketNotEmpty
 */
export async function deleteBucket(
  context: OrganizationContext,
  input: z.input<typeof bucketInput>,
  { onlyEmpty = false } = {},
): Promise<void> {
  requireBucketRight(context);
  requireStorage(context);
  const { bucket_id } = bucketInput.parse(input);
  requireBucketScope(context, bucket_id, 'write');
  const { organization } = context;
  await inUnitOfWork(context, async ({ trx, now, audit }) => {
    const row = await findBucket(trx, organization.id, bucket_id);
    if (row === null) throw new AppError('bucket_not_found');
    if (onlyEmpty) await requireEmpty(trx, row);
    // From here on its storage is not attributed to anyone.
    if (row.status !== 'deleting') {
      await notePartsOfBucket(trx, bucket_id, now);
      await foldBucket(trx, bucket_id, now);
    }
    const { numUpdatedRows } = await trx
      .updateTable('buckets')
      .set({ status: 'deleting', status_reason: null, updated_at: now })
      .where('id', '=', bucket_id)
      .where('status', '!=', 'deleting')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    await audit({
      action: 'bucket.delete',
      resource_type: 'bucket',
      resource_id: bucket_id,
      organization_id: organization.id,
      before: { name: row.name, object_count: Number(row.object_count) + Number(row.pending_objects) },
    });
  });
}

/** Goes on when the bucket holds no object, and none can come until the transaction ends. @throws S3Error BucketNotEmpty */
async function requireEmpty(trx: Trx, { id, name }: { id: string; name: string }): Promise<void> {
  await trx
    .selectFrom('buckets')
    .select('id')
    .where('id', '=', id)
    // Writes of objects hold the bucket's key.
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .execute();
  const object = await trx
    .selectFrom('objects')
    .select('key')
    .where('bucket_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  if (object !== undefined) throw new S3Error('BucketNotEmpty', undefined, { BucketName: name });
}

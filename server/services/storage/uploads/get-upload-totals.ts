import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { toInstant } from '../../shared/schema.ts';
import { requireBucket } from '../buckets/require-bucket.ts';
import { UPLOAD_IDLE_MS } from '../rules.ts';
import { bucketInput, type UploadTotals } from '../schema.ts';
import { findUploadSums } from './find-upload-sums.ts';

/**
 * Returns how many uploads to a bucket are not completed and what they store, with the progress of the job that abandons old ones.
 * @throws permission_required, out_of_scope, feature_missing, bucket_not_found, bucket_not_active
 */
export async function getUploadTotals(
  context: OrganizationContext,
  input: z.input<typeof bucketInput>,
): Promise<UploadTotals> {
  const { bucket_id } = bucketInput.parse(input);
  const bucket = await requireBucket(context, bucket_id, 'object.read');
  const { db, clock } = context.app;
  const abandonment = await db
    .selectFrom('upload_abandonments')
    .selectAll()
    .where('bucket_id', '=', bucket.id)
    .executeTakeFirst();
  // While a job abandons them, only those that it has yet to abandon are counted.
  const idleSince = abandonment?.idle_since ?? clock.now() - UPLOAD_IDLE_MS;
  const { all, idle } = await findUploadSums(context.app, bucket.id, idleSince);
  return {
    upload_count: all.count,
    stored_bytes: all.bytes,
    idle_upload_count: idle.count,
    idle_stored_bytes: idle.bytes,
    abandoning:
      abandonment === undefined
        ? null
        : {
            requested_at: toInstant(abandonment.requested_at),
            upload_total: abandonment.upload_total,
            removed_uploads: Math.max(0, abandonment.upload_total - idle.count),
          },
  };
}

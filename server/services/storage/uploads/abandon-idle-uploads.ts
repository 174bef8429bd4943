import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { requireBucket } from '../buckets/require-bucket.ts';
import { UPLOAD_IDLE_MS } from '../rules.ts';
import { bucketInput, type UploadTotals } from '../schema.ts';
import { findUploadSums } from './find-upload-sums.ts';
import { getUploadTotals } from './get-upload-totals.ts';

/**
 * Makes a job abandon the uploads that began more than a day ago and of which nothing has come since, and returns the totals with its
 * progress. Does nothing when there are none; requested again, the job includes what has become idle since.
 * @throws permission_required, out_of_scope, feature_missing, bucket_not_found, bucket_not_active
 */
export async function abandonIdleUploads(
  context: OrganizationContext,
  input: z.input<typeof bucketInput>,
): Promise<UploadTotals> {
  const { bucket_id } = bucketInput.parse(input);
  const bucket = await requireBucket(context, bucket_id, 'object.write');
  const { app, organization } = context;
  const idleSince = app.clock.now() - UPLOAD_IDLE_MS;
  const { idle } = await findUploadSums(app, bucket.id, idleSince);
  if (idle.count > 0) {
    await inUnitOfWork(context, async ({ trx, now, audit }) => {
      const begun = { requested_at: now, idle_since: idleSince, upload_total: idle.count };
      await trx
        .insertInto('upload_abandonments')
        .values({ bucket_id: bucket.id, ...begun })
        .onConflict((conflict) => conflict.column('bucket_id').doUpdateSet(begun))
        .execute();
      await audit({
        action: 'bucket.abandon_uploads',
        resource_type: 'bucket',
        resource_id: bucket.id,
        organization_id: organization.id,
        before: { name: bucket.name, upload_count: idle.count, stored_bytes: idle.bytes },
      });
    });
  }
  return getUploadTotals(context, { bucket_id });
}

import type { z } from 'zod';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { requireBucket } from '../buckets/require-bucket.ts';
import { uploadInput } from '../schema.ts';
import { findPartSums } from './upload-queries.ts';
import { removeUpload } from './write-upload.ts';

/**
 * Abandons an upload that is not completed, whoever began it: its parts are removed, and its client cannot complete it any more.
 * @throws permission_required, out_of_scope, feature_missing, bucket_not_found, bucket_not_active,
 * upload_not_found also when it is completed at this moment
 */
export async function abandonUpload(
  context: OrganizationContext,
  input: z.input<typeof uploadInput>,
): Promise<void> {
  const { bucket_id, upload_id } = uploadInput.parse(input);
  const bucket = await requireBucket(context, bucket_id, 'object.write');
  const { organization } = context;
  await inUnitOfWork(context, async ({ trx, now, audit }) => {
    const upload = await trx
      .selectFrom('object_uploads')
      .select(['key', 'id'])
      .where('bucket_id', '=', bucket.id)
      .where('id', '=', upload_id)
      .executeTakeFirst();
    if (upload === undefined) throw new AppError('upload_not_found');
    const { bytes } = await findPartSums(trx, upload.id);
    if (!(await removeUpload(trx, bucket.id, upload, now))) throw new AppError('upload_not_found');
    await audit({
      action: 'bucket.abandon_upload',
      resource_type: 'bucket',
      resource_id: bucket.id,
      organization_id: organization.id,
      before: { name: bucket.name, key: upload.key, stored_bytes: bytes },
    });
  });
}

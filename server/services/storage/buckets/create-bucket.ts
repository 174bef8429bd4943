import type { z } from 'zod';
import { isUniqueViolation } from '#db/unique-violation.ts';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import type { Tag } from '#server/s3/ports.ts';
import { requireBilling } from '../../billing/require-billing.ts';
import { openToCredential } from '../../credentials/open-to-credential.ts';
import { requireWithinLimits } from '../../limits/require-within-limits.ts';
import { requireLiveOrganization } from '../../organizations/require-live-organization.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { findBucket, toBucket } from '../queries.ts';
import { requireStorage } from '../require-storage.ts';
import { type Bucket, createBucketInput } from '../schema.ts';
import { consoleCorsRules } from './console-cors.ts';
import { prepareBucket } from './prepare-bucket.ts';
import { requireBucketRight } from './require-bucket-right.ts';

/**
 * Creates a bucket and prepares it; when the store cannot be reached it waits in the state pending, and a job
 * continues. Names are unique in the installation, even for two simultaneous requests. A credential that may
 * create buckets can access those it has created.
 * @param options.tags which S3 clients alone give their buckets
 * @throws permission_required, feature_missing, billing_required, limit_buckets, bucket_name_taken
 */
export async function createBucket(
  context: OrganizationContext,
  input: z.input<typeof createBucketInput>,
  { tags = [] }: { tags?: readonly Tag[] } = {},
): Promise<Bucket> {
  requireBucketRight(context);
  requireStorage(context);
  const { name, region, cors_enabled, cors_origins = [] } = createBucketInput.parse(input);
  const { app, actor, organization } = context;
  const id = newId(app.clock.now());
  try {
    await inUnitOfWork(context, async ({ trx, now, audit }) => {
      await requireLiveOrganization(trx, organization.id);
      await requireBilling(trx, app, organization.id);
      await trx
        .insertInto('buckets')
        .values({
          id,
          organization_id: organization.id,
          name,
          region,
          status: 'pending',
          status_reason: null,
          cors_rules: JSON.stringify(consoleCorsRules(cors_enabled, cors_origins)),
          object_count: 0,
          stored_bytes: 0,
          measured_until: now,
          tags: JSON.stringify(tags),
          created_at: now,
          updated_at: now,
        })
        .execute();
      await requireWithinLimits(trx, app, organization.id, ['buckets']);
      if (actor.kind === 'credential') await openToCredential(trx, actor.credentialId, id);
      await audit({
        action: 'bucket.create',
        resource_type: 'bucket',
        resource_id: id,
        organization_id: organization.id,
        after: { name, region, cors_enabled, ...(tags.length > 0 && { tags: Object.fromEntries(tags) }) },
      });
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('bucket_name_taken', { name });
  }
  await prepareBucket(app, id);
  const row = await findBucket(app.db, organization.id, id);
  if (row === null) throw new AppError('bucket_not_found');
  return toBucket(row);
}

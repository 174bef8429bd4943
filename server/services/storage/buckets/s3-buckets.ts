import type { App, CredentialActor, RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { CorsRule, PublicAccessBlock, S3Access, S3Bucket, Tag } from '#server/s3/ports.ts';
import { S3Error } from '#server/s3/s3-error.ts';
import { resolveOrganization } from '../../organizations/resolve-organization.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { isBucketName, REGION } from '../rules.ts';
import { createBucket } from './create-bucket.ts';
import { deleteBucket } from './delete-bucket.ts';
import { purgeDeletedBucket } from './purge-deleted-buckets.ts';
import { updateBucket } from './update-bucket.ts';

/** How long a client waits for a deleted bucket to be gone; what takes longer is left to the job. */
const PURGE_MS = 2_000;

/** Returns the context in which verbs run for an S3 client: that of its credential. */
function contextOf(
  app: App,
  { credentialId, credentialName, ownerId, mayCreateBuckets }: S3Access,
  reachedBucketId?: string,
): RequestContext {
  const actor: CredentialActor = {
    kind: 'credential',
    credentialId,
    name: credentialName,
    organizationId: ownerId,
    mayCreateBuckets,
    // The service has checked its scopes already; verbs need only the bucket at hand.
    scopes:
      reachedBucketId === undefined
        ? []
        : [{ resource_type: 'bucket', resource_id: reachedBucketId, permissions: ['read', 'write'] }],
  };
  return { app, actor, requestId: '', address: '' };
}

/** Creates a bucket for an S3 client. @throws as S3Ports.createBucket */
export async function createBucketFor(
  app: App,
  access: S3Access,
  name: string,
  tags: readonly Tag[],
): Promise<void> {
  if (!isBucketName(name)) throw new S3Error('InvalidBucketName', undefined, { BucketName: name });
  await inWordsOfS3(async () => {
    const context = await resolveOrganization(contextOf(app, access), access.ownerId);
    const { status } = await createBucket(context, { name, region: REGION, cors_enabled: false }, { tags });
    if (status !== 'active') throw new S3Error('ServiceUnavailable');
  });
}

/** Deletes an empty bucket for an S3 client, which may use its name again at once. @throws as S3Ports.deleteBucket */
export async function deleteBucketFor(app: App, bucket: S3Bucket, access: S3Access): Promise<void> {
  await inWordsOfS3(async () => {
    const context = await resolveOrganization(contextOf(app, access, bucket.id), access.ownerId);
    await deleteBucket(context, { bucket_id: bucket.id }, { onlyEmpty: true });
  });
  await purgeDeletedBucket(app, bucket.id, AbortSignal.timeout(PURGE_MS));
}

/** Lets anyone read the objects of a bucket, or its credentials alone, for an S3 client. @throws as S3Ports.setPublicRead */
export async function setPublicRead(
  app: App,
  bucket: S3Bucket,
  access: S3Access,
  isPublic: boolean,
): Promise<void> {
  await inWordsOfS3(async () => {
    const context = await resolveOrganization(contextOf(app, access, bucket.id), access.ownerId);
    const input = { bucket_id: bucket.id, public_read: isPublic };
    await updateBucket(context, input, { mayBeRestricted: true });
  });
}

/** Converts the refusal of a verb to the error of S3. */
async function inWordsOfS3<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    switch (error.code) {
      case 'bucket_name_taken':
        throw new S3Error('BucketAlreadyExists');
      case 'bucket_not_found':
      case 'bucket_not_active':
        throw new S3Error('NoSuchBucket');
      case 'limit_buckets':
        throw new S3Error('TooManyBuckets');
      case 'too_many_requests':
        throw new S3Error('SlowDown');
      case 'billing_required':
        throw new S3Error('AccessDenied', 'Billing has to be set up before buckets can be created.');
      case 'public_access_blocked':
      case 'feature_missing':
      case 'organization_suspended':
      case 'permission_required':
        throw new S3Error('AccessDenied');
      default:
        throw error;
    }
  }
}

/** Replaces the CORS rules of a bucket for an S3 client. */
export async function setCorsRules(
  app: App,
  bucket: S3Bucket,
  access: S3Access,
  rules: readonly CorsRule[],
): Promise<void> {
  const origins = (of: readonly CorsRule[]) => of.flatMap((rule) => rule.allowedOrigins);
  await changeBucket(app, bucket, access, {
    columns: { cors_rules: JSON.stringify(rules) },
    before: { cors_enabled: bucket.corsRules.length > 0, cors_origins: origins(bucket.corsRules) },
    after: { cors_enabled: rules.length > 0, cors_origins: origins(rules) },
  });
}

/** Replaces the tags of a bucket for an S3 client. */
export async function setBucketTags(
  app: App,
  bucket: S3Bucket,
  access: S3Access,
  tags: readonly Tag[],
): Promise<void> {
  await changeBucket(app, bucket, access, {
    columns: { tags: JSON.stringify(tags) },
    before: { tags: Object.fromEntries(bucket.tags) },
    after: { tags: Object.fromEntries(tags) },
  });
}

/** Sets what is forbidden of public access to a bucket, or nothing, for an S3 client. */
export async function setPublicAccessBlock(
  app: App,
  bucket: S3Bucket,
  access: S3Access,
  block: PublicAccessBlock | null,
): Promise<void> {
  await changeBucket(app, bucket, access, {
    columns: { public_access_block: block && JSON.stringify(block) },
    before: { public_access_block: bucket.publicAccessBlock },
    after: { public_access_block: block },
  });
}

async function changeBucket(
  app: App,
  bucket: S3Bucket,
  access: S3Access,
  change: {
    columns: { cors_rules: string } | { tags: string } | { public_access_block: string | null };
    before: Record<string, unknown>;
    after: Record<string, unknown>;
  },
): Promise<void> {
  await inWordsOfS3(() =>
    inUnitOfWork(contextOf(app, access), async ({ trx, now, audit }) => {
      const changed = await trx
        .updateTable('buckets')
        .set({ ...change.columns, updated_at: now })
        .where('id', '=', bucket.id)
        .where('status', '=', 'active')
        .returning('id')
        .executeTakeFirst();
      if (!changed) throw new S3Error('NoSuchBucket');
      await audit({
        action: 'bucket.update',
        resource_type: 'bucket',
        resource_id: bucket.id,
        organization_id: bucket.ownerId,
        before: change.before,
        after: change.after,
      });
    }),
  );
}

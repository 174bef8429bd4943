import type { S3Access, S3Bucket, S3Ports } from './ports.ts';
import { S3Error } from './s3-error.ts';
import { headerOf, type S3Request } from './s3-request.ts';

/** @throws NoSuchBucket */
export async function getBucket(ports: Pick<S3Ports, 'findBucket'>, name: string): Promise<S3Bucket> {
  const bucket = await ports.findBucket(name);
  if (bucket === null) throw noSuchBucket(name);
  return bucket;
}

export function noSuchBucket(name: string): S3Error {
  return new S3Error('NoSuchBucket', undefined, { BucketName: name });
}

/** Null for a bucket that the caller cannot access. @throws NoSuchBucket */
export async function findReachedBucket(
  ports: Pick<S3Ports, 'findBucket'>,
  access: S3Access,
  name: string,
  permission: 'read' | 'write',
): Promise<S3Bucket | null> {
  const bucket = await getBucket(ports, name);
  return access.mayReach(bucket.id, permission) ? bucket : null;
}

/**
 * Returns a bucket that the caller can access. For another organization's bucket the response is S3's: it
 * exists, but access is denied.
 * @throws NoSuchBucket, AccessDenied
 */
export async function requireReachedBucket(
  ports: Pick<S3Ports, 'findBucket'>,
  access: S3Access,
  name: string,
  permission: 'read' | 'write',
): Promise<S3Bucket> {
  const bucket = await findReachedBucket(ports, access, name, permission);
  if (bucket === null) throw new S3Error('AccessDenied');
  return bucket;
}

/**
 * Goes on while the caller can still write the bucket: what it sends may arrive for hours after its request was
 * admitted.
 * @throws AccessDenied
 */
export async function requireStillReached({
  ports,
  bucket,
  access,
}: {
  ports: Pick<S3Ports, 'findAccess'>;
  bucket: S3Bucket;
  access: S3Access;
}): Promise<void> {
  const now = await ports.findAccess(access.accessKeyId);
  if (!now?.mayReach(bucket.id, 'write')) throw new S3Error('AccessDenied');
}

/** Our owners, as ListBuckets and GetBucketAcl name them, and the accounts of AWS. */
const OWNER_ID = /^(?:[0-9a-z]{26}|\d{12})$/;

/**
 * A client that names the expected owner must not reach another owner's bucket.
 * @throws AccessDenied, InvalidBucketOwnerAWSAccountID
 */
export function requireExpectedOwner(
  request: S3Request,
  header: 'x-amz-expected-bucket-owner' | 'x-amz-source-expected-bucket-owner',
  bucket: S3Bucket,
): void {
  const expected = headerOf(request, header);
  if (expected === null || expected === bucket.ownerId) return;
  if (OWNER_ID.test(expected)) throw new S3Error('AccessDenied');
  throw new S3Error(
    'InvalidBucketOwnerAWSAccountID',
    `The value of the expected bucket owner parameter must be an AWS Account ID... [${expected}]`,
  );
}

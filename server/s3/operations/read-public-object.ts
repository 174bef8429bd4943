import type { S3Response } from '../call.ts';
import type { S3Bucket, S3Ports } from '../ports.ts';
import { getBucket, requireExpectedOwner } from '../reach-bucket.ts';
import { S3Error } from '../s3-error.ts';
import { queryValue, type S3Request } from '../s3-request.ts';
import { OVERRIDES, readObject } from './read-object.ts';

export interface PublicReadParts {
  readonly request: S3Request;
  readonly ports: S3Ports;
  /** Epoch milliseconds. */
  readonly now: number;
  noteBucket(bucket: S3Bucket): void;
  /** Whether nobody has signed the request. */
  readonly isAnonymous: boolean;
  /** Whether the client may read one more object. */
  admitPublicRead(bucketName: string): boolean;
}

/**
 * Tells a client without a key that the bucket it names is not there, as S3 does before it denies access.
 * @throws NoSuchBucket, SlowDown
 */
export async function requireSomeBucket({ request, ...parts }: PublicReadParts): Promise<void> {
  if (request.bucket !== null) await findForStranger(request.bucket, parts);
}

/** @throws NoSuchBucket, SlowDown */
async function findForStranger(
  name: string,
  { ports, admitPublicRead }: Pick<PublicReadParts, 'ports' | 'admitPublicRead'>,
): Promise<S3Bucket> {
  // Before anything is looked up: that is what strangers could keep the database busy with.
  if (!admitPublicRead(name)) throw new S3Error('SlowDown');
  return getBucket(ports, name);
}

/**
 * GetObject and HeadObject without access to the bucket, which its owner has made public. It cannot be listed, so an object that
 * is not there is answered as by S3 to those who may not list: access is denied.
 * Only those with access decide how browsers show what is stored there, not whoever has a credential of anything.
 * @throws NoSuchBucket, AccessDenied, AllAccessDisabled, SlowDown, InvalidRequest, and as readObject
 */
export async function readPublicObject({
  request,
  ports,
  now,
  noteBucket,
  isAnonymous,
  admitPublicRead,
}: PublicReadParts): Promise<S3Response> {
  const bucket = await findForStranger(request.bucket ?? '', { ports, admitPublicRead });
  if (!bucket.isPublic || bucket.publicAccessBlock?.restrictPublicBuckets) throw new S3Error('AccessDenied');
  if (!bucket.isServedToAnyone) throw new S3Error('AllAccessDisabled');
  noteBucket(bucket);
  requireExpectedOwner(request, 'x-amz-expected-bucket-owner', bucket);
  if (Object.keys(OVERRIDES).some((name) => queryValue(request, name) !== null)) {
    throw new S3Error(
      'InvalidRequest',
      isAnonymous
        ? 'Request specific response headers cannot be used for anonymous GET requests.'
        : 'Request specific response headers cannot be used without access to the bucket.',
    );
  }
  try {
    return await readObject({ request, ports, now, bucket, key: request.key ?? '' });
  } catch (error) {
    throw error instanceof S3Error && error.code === 'NoSuchKey' ? new S3Error('AccessDenied') : error;
  }
}

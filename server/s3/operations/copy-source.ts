import { noVersion, type ObjectCall, requireObject, withPieces } from '../call.ts';
import { checkReadConditions } from '../fields/conditions.ts';
import { refuseCustomerKey } from '../fields/encryption-headers.ts';
import type { S3Bucket, S3Object, S3Piece } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { decode, headerOf, mayBeBucketName, requireKey, type S3Request } from '../s3-request.ts';

export interface CopySource {
  readonly bucket: S3Bucket;
  readonly object: S3Object;
  readonly pieces: readonly S3Piece[];
}

/**
 * Parses x-amz-copy-source: a bucket and a key in the form of an address, with or without a leading slash.
 * @throws InvalidRequest for content, which nothing would store; InvalidArgument, KeyTooLongError
 */
export function readCopySource(request: S3Request): {
  bucketName: string;
  key: string;
  version: string | undefined;
} {
  if (Number(headerOf(request, 'content-length') ?? 0) > 0) {
    throw new S3Error(
      'InvalidRequest',
      'The request included a body. Requests of this type must not include a non-empty body.',
    );
  }
  const text = headerOf(request, 'x-amz-copy-source') ?? '';
  // S3 repeats the name of the header, not what it says.
  const invalid = (message: string) => S3Error.ofArgument('x-amz-copy-source', 'x-amz-copy-source', message);
  const [address = '', version] = text.split('?versionId=');
  let path: string;
  try {
    // As in S3, a plus sign is a space here: some clients encode the source like a form.
    path = decode((address.startsWith('/') ? address.slice(1) : address).replaceAll('+', ' '));
  } catch {
    throw invalid('Invalid copy source encoding');
  }
  const [bucketName = '', ...parts] = path.split('/');
  const key = parts.join('/');
  if (key === '') throw invalid('Invalid copy source object key');
  if (!mayBeBucketName(bucketName)) throw invalid('Invalid copy source bucket name');
  requireKey(key);
  return { bucketName, key, version };
}

/**
 * Returns the object that x-amz-copy-source names, when its conditions are met.
 * @throws InvalidArgument, InvalidRequest, NoSuchBucket, NoSuchKey, AccessDenied, PreconditionFailed
 */
export async function requireCopySource(call: ObjectCall): Promise<CopySource> {
  const { request, ports } = call;
  refuseCustomerKey((name) => headerOf(request, name), 'x-amz-copy-source-');
  const { bucketName, key, version } = readCopySource(request);
  if (version !== undefined && version !== 'null') throw noVersion(version);
  const bucket = await call.requireSource(bucketName);
  return withPieces({ ports, bucket }, async () => {
    const object = await requireObject({ ports, bucket, key });
    checkReadConditions(request, object, call.now, 'x-amz-copy-source-');
    return { bucket, object };
  });
}

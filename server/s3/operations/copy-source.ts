import { type ObjectCall, withPieces } from '../call.ts';
import { checkReadConditions } from '../conditions.ts';
import { refuseCustomerKey } from '../encryption-headers.ts';
import type { S3Bucket, S3Object, S3Piece } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { decode, headerOf, requireKey } from '../s3-request.ts';

export interface CopySource {
  readonly bucket: S3Bucket;
  readonly object: S3Object;
  readonly pieces: readonly S3Piece[];
}

/**
 * Returns the object that x-amz-copy-source names, when its conditions are met.
 * @throws InvalidArgument, InvalidRequest, NoSuchBucket, NoSuchKey, AccessDenied, PreconditionFailed
 */
export async function requireCopySource(call: ObjectCall): Promise<CopySource> {
  const { request, ports } = call;
  refuseCustomerKey((name) => headerOf(request, name), 'x-amz-copy-source-');
  const [address = '', version] = (headerOf(request, 'x-amz-copy-source') ?? '').split('?versionId=');
  const path = decode(address.startsWith('/') ? address.slice(1) : address);
  const at = path.indexOf('/');
  if (at < 1 || at === path.length - 1) {
    throw new S3Error(
      'InvalidArgument',
      'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
    );
  }
  if (version !== undefined && version !== 'null') throw new S3Error('NoSuchVersion');
  const key = path.slice(at + 1);
  requireKey(key);
  const bucket = await call.requireSource(path.slice(0, at));
  return withPieces(ports, async () => {
    const object = await ports.findObject(bucket.id, key);
    if (object === null) throw new S3Error('NoSuchKey', undefined, { Key: key });
    checkReadConditions(request, object, 'x-amz-copy-source-');
    return { bucket, object };
  });
}

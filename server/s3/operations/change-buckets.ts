import type { S3Answer, S3Call } from '../call.ts';
import { requireCannedAcl } from '../object-headers.ts';
import type { S3Ports, Tag } from '../ports.ts';
import { readSmallBody } from '../read-body.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { headerOf, mayBeBucketName, type S3Request } from '../s3-request.ts';
import type { Authenticated } from '../signature/authenticate.ts';
import { readTagging, readTags } from '../tags.ts';
import { childrenOf, readXml, textOf } from '../xml/read-xml.ts';
import { writeXml } from '../xml/write-xml.ts';
import { OWNERSHIPS } from './buckets.ts';

/** CreateBucket: for credentials that may; one that is there already is said to be. */
export async function createBucket(
  request: S3Request,
  authenticated: Authenticated,
  { ports, region }: { ports: S3Ports; region: string },
): Promise<S3Answer> {
  const { access } = authenticated;
  const name = request.bucket ?? '';
  if (!mayBeBucketName(name)) throw new S3Error('InvalidBucketName', undefined, { BucketName: name });
  refuseBucketHeaders(request);
  const body = await readSmallBody(request, authenticated, S3_LIMITS.otherXmlBytesMax);
  const tags = readConfiguration(body, region);
  const bucket = await ports.findBucket(name);
  if (bucket !== null) {
    const isOwn = access.mayReach(bucket.id, 'read');
    // In us-east-1 a bucket is created again without a word, and who signs for it expects that.
    if (isOwn && authenticated.presented.scope.region === 'us-east-1') {
      return created(name);
    }
    throw new S3Error(isOwn ? 'BucketAlreadyOwnedByYou' : 'BucketAlreadyExists', undefined, {
      BucketName: name,
    });
  }
  if (!access.mayCreateBuckets) {
    throw new S3Error('AccessDenied', 'This credential may not create buckets; the console says which may.');
  }
  await ports.createBucket(access, name, tags);
  return created(name);
}

function created(name: string): S3Answer {
  return { status: 200, headers: { location: `/${name}`, 'x-amz-bucket-arn': `arn:aws:s3:::${name}` } };
}

/** @throws InvalidArgument, InvalidBucketAclWithObjectOwnership, NotImplemented */
function refuseBucketHeaders(request: S3Request): void {
  const acl = headerOf(request, 'x-amz-acl');
  const ownership = headerOf(request, 'x-amz-object-ownership') ?? 'BucketOwnerEnforced';
  requireCannedAcl(acl);
  if (!OWNERSHIPS.includes(ownership)) {
    const message = `Invalid x-amz-object-ownership header: ${ownership}`;
    throw new S3Error('InvalidArgument', message, { ArgumentName: 'x-amz-object-ownership' });
  }
  const hasGrant = [...request.headerValues.keys()].some((name) => name.startsWith('x-amz-grant-'));
  if (hasGrant || (acl !== null && acl !== 'private'))
    throw new S3Error('InvalidBucketAclWithObjectOwnership');
  const isLocked = headerOf(request, 'x-amz-bucket-object-lock-enabled')?.toLowerCase() === 'true';
  if (isLocked || ownership !== 'BucketOwnerEnforced') throw new S3Error('NotImplemented');
}

/**
 * Returns the tags that the bucket begins with. Older clients name us-east-1 wherever they go, or no place.
 * @throws MalformedXML, InvalidLocationConstraint, InvalidTag, NotImplemented
 */
function readConfiguration(body: string, region: string): Tag[] {
  if (body.trim() === '') return [];
  const root = readXml(body, 'CreateBucketConfiguration');
  const isPlain = ['Location', 'Bucket'].every((name) => childrenOf(root, name).length === 0);
  if (!isPlain) throw new S3Error('NotImplemented');
  const place = textOf(root, 'LocationConstraint')?.trim() ?? '';
  if (!['', region, 'us-east-1'].includes(place)) {
    throw new S3Error('InvalidLocationConstraint', undefined, { LocationConstraint: place });
  }
  const [set, ...more] = childrenOf(root, 'Tags');
  if (more.length > 0) throw new S3Error('MalformedXML');
  return set === undefined ? [] : readTags(set, S3_LIMITS.bucketTagsMax);
}

/** DeleteBucket: of an empty one, by a credential that may. */
export async function deleteBucket({ access, bucket, ports }: S3Call): Promise<S3Answer> {
  if (!access.mayCreateBuckets) {
    throw new S3Error('AccessDenied', 'This credential may not delete buckets; the console says which may.');
  }
  await ports.deleteBucket(access, bucket);
  return { status: 204 };
}

/** GetBucketTagging. */
export async function getBucketTagging({ bucket }: S3Call): Promise<S3Answer> {
  if (bucket.tags.length === 0) throw new S3Error('NoSuchTagSet', undefined, { BucketName: bucket.name });
  const Tag = bucket.tags.map(([Key, Value]) => ({ Key, Value }));
  return { status: 200, body: writeXml('Tagging', { TagSet: { Tag } }) };
}

/** PutBucketTagging. */
export async function putBucketTagging(call: S3Call): Promise<S3Answer> {
  const { request, authenticated, access, bucket, ports } = call;
  const body = await readSmallBody(request, authenticated, S3_LIMITS.otherXmlBytesMax);
  await ports.setBucketTags(bucket, access, readTagging(body, S3_LIMITS.bucketTagsMax));
  return { status: 204 };
}

/** DeleteBucketTagging. */
export async function deleteBucketTagging({ access, bucket, ports }: S3Call): Promise<S3Answer> {
  await ports.setBucketTags(bucket, access, []);
  return { status: 204 };
}

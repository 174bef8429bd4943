import { readSmallBody } from '../body/read-body.ts';
import type { S3Call, S3Response } from '../call.ts';
import { hasGrants, requireCannedAcl } from '../fields/canned-acls.ts';
import { readTags } from '../fields/tags.ts';
import { readToken, writeToken } from '../listings/continuation-token.ts';
import type { S3Access, S3Ports, Tag } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { headerOf, mayBeBucketName, queryValue, type S3Request } from '../s3-request.ts';
import { childrenOf, readXml, textOf } from '../xml/read-xml.ts';
import { writeXml, xmlTime } from '../xml/write-xml.ts';
import { requireBucketRight } from './bucket-right.ts';
import { OWNERSHIPS } from './bucket-settings.ts';
import { ownerFields } from './xml-fields.ts';

const BUCKETS_MAX = 10_000;

/** ListBuckets: those that the credential can access. @throws InvalidArgument */
export async function listBuckets(request: S3Request, access: S3Access, ports: S3Ports): Promise<S3Response> {
  const prefix = queryValue(request, 'prefix') ?? '';
  const after = readToken(queryValue(request, 'continuation-token') ?? '');
  const maxText = queryValue(request, 'max-buckets');
  const max = maxText === null ? BUCKETS_MAX : Number(maxText);
  if (!Number.isInteger(max) || max < 1 || max > BUCKETS_MAX) {
    const message = `Argument max-buckets must be an integer between 1 and ${BUCKETS_MAX}.`;
    throw S3Error.ofArgument('max-buckets', maxText ?? '', message);
  }
  const wantedRegion = queryValue(request, 'bucket-region');
  if (wantedRegion !== null && !/^[a-z]{2}(?:-[a-z]+)+-\d+$/.test(wantedRegion)) {
    const message = `Argument value ${wantedRegion} is not a valid AWS Region`;
    throw S3Error.ofArgument('bucket-region', wantedRegion, message);
  }
  const all = (await ports.listBuckets(access)).filter(
    ({ name, region }) =>
      name.startsWith(prefix) && name > after && (wantedRegion === null || wantedRegion === region),
  );
  const shown = all.slice(0, max);
  return {
    status: 200,
    body: writeXml('ListAllMyBucketsResult', {
      Owner: ownerFields(access),
      Buckets: {
        Bucket: shown.map(({ name, createdAt, region }) => ({
          Name: name,
          CreationDate: xmlTime(createdAt),
          BucketRegion: region,
          BucketArn: arnOf(name),
        })),
      },
      Prefix: prefix === '' ? null : prefix,
      ContinuationToken: shown.length < all.length ? writeToken(shown.at(-1)?.name ?? '') : null,
    }),
  };
}

/** HeadBucket. */
export async function headBucket({ bucket }: S3Call): Promise<S3Response> {
  return {
    status: 200,
    headers: {
      'content-type': 'application/xml',
      'x-amz-bucket-region': bucket.region,
      'x-amz-bucket-arn': arnOf(bucket.name),
      'x-amz-access-point-alias': 'false',
    },
  };
}

/** GetBucketLocation. */
export async function getBucketLocation({ bucket }: S3Call): Promise<S3Response> {
  return { status: 200, body: writeXml('LocationConstraint', bucket.region) };
}

/**
 * CreateBucket.
 * @throws BucketAlreadyOwnedByYou, BucketAlreadyExists, AccessDenied, and as S3Ports.createBucket
 */
export async function createBucket(
  call: Pick<S3Call, 'request' | 'authenticated' | 'hold'>,
  { ports, region }: { ports: S3Ports; region: string },
): Promise<S3Response> {
  const { request, authenticated } = call;
  const { access } = authenticated;
  const name = request.bucket ?? '';
  if (!mayBeBucketName(name)) throw new S3Error('InvalidBucketName', undefined, { BucketName: name });
  refuseBucketHeaders(request);
  const body = await readSmallBody(call, S3_LIMITS.otherXmlBytesMax);
  const tags = readConfiguration(body, region);
  const bucket = await ports.findBucket(name);
  if (bucket !== null) {
    const isOwn = access.mayReach(bucket.id, 'read');
    // In us-east-1 creating one's bucket again succeeds, and clients that sign for it expect that.
    if (isOwn && authenticated.presented.scope.region === 'us-east-1') return created(name);
    throw new S3Error(isOwn ? 'BucketAlreadyOwnedByYou' : 'BucketAlreadyExists', undefined, {
      BucketName: name,
    });
  }
  requireBucketRight(access, 'create buckets');
  await ports.createBucket(access, name, tags);
  return created(name);
}

function created(name: string): S3Response {
  return { status: 200, headers: { location: `/${name}`, 'x-amz-bucket-arn': arnOf(name) } };
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
  if (hasGrants(request.headerValues.keys()) || (acl !== null && acl !== 'private'))
    throw new S3Error('InvalidBucketAclWithObjectOwnership');
  const isLocked = headerOf(request, 'x-amz-bucket-object-lock-enabled')?.toLowerCase() === 'true';
  if (isLocked || ownership !== 'BucketOwnerEnforced') throw new S3Error('NotImplemented');
}

/**
 * Returns the tags that the bucket begins with. A client need name no place, because there is only one.
 * @throws MalformedXML, InvalidLocationConstraint, InvalidTag, NotImplemented
 */
function readConfiguration(body: string, region: string): Tag[] {
  if (body.trim() === '') return [];
  const root = readXml(body, 'CreateBucketConfiguration');
  const isPlain = ['Location', 'Bucket'].every((name) => childrenOf(root, name).length === 0);
  if (!isPlain) throw new S3Error('NotImplemented');
  const place = textOf(root, 'LocationConstraint')?.trim() ?? '';
  if (place !== '' && place !== region) {
    throw new S3Error('InvalidLocationConstraint', undefined, { LocationConstraint: place });
  }
  const [set, ...more] = childrenOf(root, 'Tags');
  if (more.length > 0) throw new S3Error('MalformedXML');
  return set === undefined ? [] : readTags(set, S3_LIMITS.bucketTagsMax);
}

/** DeleteBucket: of an empty bucket. @throws AccessDenied, BucketNotEmpty */
export async function deleteBucket({ access, bucket, ports }: S3Call): Promise<S3Response> {
  requireBucketRight(access, 'delete buckets');
  await ports.deleteBucket(bucket, access);
  return { status: 204 };
}

function arnOf(bucketName: string): string {
  return `arn:aws:s3:::${bucketName}`;
}

import { type ObjectCall, requireNullVersion, requireObject, type S3Answer, type S3Call } from '../call.ts';
import { isPrivateAcl, NO_OBJECT_LOCK, requireCannedAcl } from '../object-headers.ts';
import type { S3Access, S3Ports } from '../ports.ts';
import { readSmallBody } from '../read-body.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { headerOf, queryValue, type S3Request } from '../s3-request.ts';
import { childrenOf, readXml, textOf } from '../xml/read-xml.ts';
import { writeXml, type XmlFields, xmlTime } from '../xml/write-xml.ts';

const BUCKETS_MAX = 10_000;

/** ListBuckets: those that the credential can access. */
export async function listBuckets(request: S3Request, access: S3Access, ports: S3Ports): Promise<S3Answer> {
  const prefix = queryValue(request, 'prefix') ?? '';
  const after = queryValue(request, 'continuation-token') ?? '';
  const maxText = queryValue(request, 'max-buckets');
  const max = maxText === null ? BUCKETS_MAX : Number(maxText);
  if (!Number.isInteger(max) || max < 1 || max > BUCKETS_MAX) {
    const message = `Argument max-buckets must be an integer between 1 and ${BUCKETS_MAX}.`;
    throw S3Error.ofArgument('max-buckets', maxText ?? '', message);
  }
  const wantedRegion = queryValue(request, 'bucket-region');
  const all = (await ports.listBuckets(access)).filter(
    ({ name, region }) =>
      name.startsWith(prefix) && name > after && (wantedRegion === null || wantedRegion === region),
  );
  const shown = all.slice(0, max);
  return {
    status: 200,
    body: writeXml('ListAllMyBucketsResult', {
      Owner: { ID: access.ownerId, DisplayName: access.ownerName },
      Buckets: {
        Bucket: shown.map(({ name, createdAt, region }) => ({
          Name: name,
          CreationDate: xmlTime(createdAt),
          BucketRegion: region,
          BucketArn: `arn:aws:s3:::${name}`,
        })),
      },
      Prefix: prefix === '' ? null : prefix,
      ContinuationToken: shown.length < all.length ? (shown.at(-1)?.name ?? null) : null,
    }),
  };
}

/** HeadBucket. */
export async function headBucket({ bucket }: S3Call): Promise<S3Answer> {
  return {
    status: 200,
    headers: { 'x-amz-bucket-region': bucket.region, 'x-amz-access-point-alias': 'false' },
  };
}

/** GetBucketLocation. */
export async function getBucketLocation({ bucket }: S3Call): Promise<S3Answer> {
  return { status: 200, body: writeXml('LocationConstraint', bucket.region) };
}

const grants = ({ access }: S3Call): XmlFields => {
  const owner = { ID: access.ownerId, DisplayName: access.ownerName };
  const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"';
  return {
    Owner: owner,
    AccessControlList: { Grant: { [`Grantee ${xsi}`]: owner, Permission: 'FULL_CONTROL' } },
  };
};

/** The settings of every bucket in S3's terms: what cannot be set is returned as never set. */
const SETTINGS: Readonly<Record<string, (call: S3Call) => { root: string; fields: XmlFields }>> = {
  acl: (call) => ({ root: 'AccessControlPolicy', fields: grants(call) }),
  logging: () => ({ root: 'BucketLoggingStatus', fields: {} }),
  notification: () => ({ root: 'NotificationConfiguration', fields: {} }),
  ownershipControls: () => ({
    root: 'OwnershipControls',
    fields: { Rule: { ObjectOwnership: 'BucketOwnerEnforced' } },
  }),
  policyStatus: ({ bucket }) => ({ root: 'PolicyStatus', fields: { IsPublic: bucket.isPublic } }),
  requestPayment: () => ({ root: 'RequestPaymentConfiguration', fields: { Payer: 'BucketOwner' } }),
  versioning: () => ({ root: 'VersioningConfiguration', fields: {} }),
};
const UNSET = {
  encryption: 'ServerSideEncryptionConfigurationNotFoundError',
  lifecycle: 'NoSuchLifecycleConfiguration',
  'object-lock': 'ObjectLockConfigurationNotFoundError',
  website: 'NoSuchWebsiteConfiguration',
} as const;

/** Reads of settings that buckets do not have; clients request them to show or compare them. */
export async function getBucketSetting(call: S3Call): Promise<S3Answer> {
  const names = call.request.query.map(([name]) => name);
  for (const [name, code] of Object.entries(UNSET)) if (names.includes(name)) throw new S3Error(code);
  const describe = Object.entries(SETTINGS).find(([name]) => names.includes(name))?.[1];
  if (describe === undefined) throw new S3Error('NotImplemented');
  const { root, fields } = describe(call);
  return { status: 200, body: writeXml(root, fields) };
}

/** Deletes of settings that no bucket has: afterwards it has none. */
export async function deleteBucketSetting(): Promise<S3Answer> {
  return { status: 204 };
}

/** PutObjectLockConfiguration: a bucket without object lock never gets it. */
export async function putObjectLockConfiguration(): Promise<S3Answer> {
  throw new S3Error('InvalidBucketState', 'Object Lock configuration cannot be enabled on existing buckets');
}

/** Retention and legal holds of objects, in a bucket without object lock. */
export async function useObjectLock(): Promise<S3Answer> {
  throw new S3Error('InvalidRequest', NO_OBJECT_LOCK);
}

/** Who owns what others store in a bucket, by S3's names. */
export const OWNERSHIPS: readonly string[] = ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'];

/** PutBucketOwnershipControls: the owner owns everything, which a client may say again. @throws NotImplemented for other rules */
export async function putBucketOwnershipControls({ request, authenticated }: S3Call): Promise<S3Answer> {
  const body = await readSmallBody(request, authenticated, S3_LIMITS.otherXmlBytesMax);
  const rules = childrenOf(readXml(body, 'OwnershipControls'), 'Rule');
  const [ownership] = rules.map((rule) => textOf(rule, 'ObjectOwnership'));
  if (rules.length !== 1 || !OWNERSHIPS.includes(ownership ?? '')) throw new S3Error('MalformedXML');
  if (ownership !== 'BucketOwnerEnforced') throw new S3Error('NotImplemented');
  return { status: 200 };
}

/** PutBucketAcl: everything belongs to the bucket's owner, which a list may say, as a canned one or written out, and nothing else. */
export async function putBucketAcl({ request, authenticated, access }: S3Call): Promise<S3Answer> {
  const names = [...request.headerValues.keys()];
  const canned = headerOf(request, 'x-amz-acl');
  requireCannedAcl(canned);
  const isSame =
    !names.some((name) => name.startsWith('x-amz-grant-')) &&
    (canned === null
      ? isOwnersAlone(await readSmallBody(request, authenticated, S3_LIMITS.otherXmlBytesMax), access)
      : isPrivateAcl(canned));
  if (!isSame) throw new S3Error('AccessControlListNotSupported');
  return { status: 200 };
}

/** Whether a list grants everything to the owner and nothing to others: clients write back what they have read. */
function isOwnersAlone(xml: string, { ownerId }: S3Access): boolean {
  if (xml === '') return false;
  const [list] = childrenOf(readXml(xml, 'AccessControlPolicy'), 'AccessControlList');
  const grantsGiven = list === undefined ? [] : childrenOf(list, 'Grant');
  return (
    grantsGiven.length === 1 &&
    grantsGiven.every((grant) => {
      const [grantee] = childrenOf(grant, 'Grantee');
      return grantee && textOf(grantee, 'ID') === ownerId && textOf(grant, 'Permission') === 'FULL_CONTROL';
    })
  );
}

/** PutObjectAcl: the same of an object. */
export async function putObjectAcl(call: ObjectCall): Promise<S3Answer> {
  requireNullVersion(call.request);
  await requireObject(call);
  return putBucketAcl(call);
}

/** GetObjectAcl: everything belongs to the bucket's owner. */
export async function getObjectAcl(call: ObjectCall): Promise<S3Answer> {
  requireNullVersion(call.request);
  await requireObject(call);
  return { status: 200, body: writeXml('AccessControlPolicy', grants(call)) };
}

import { readSmallBody } from '../body/read-body.ts';
import type { S3Call, S3Response } from '../call.ts';
import { NO_OBJECT_LOCK } from '../fields/object-headers.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { queryValue, type S3Request } from '../s3-request.ts';
import { childrenOf, readXml, textOf, type XmlElement } from '../xml/read-xml.ts';
import { writeXml, type XmlFields } from '../xml/write-xml.ts';
import { aclFields } from './acl.ts';

/** The settings of every bucket in S3's terms: what cannot be set is returned as never set. */
const SETTINGS: Readonly<Record<string, (call: S3Call) => { root: string; fields: XmlFields }>> = {
  accelerate: () => ({ root: 'AccelerateConfiguration', fields: {} }),
  acl: (call) => ({ root: 'AccessControlPolicy', fields: aclFields(call) }),
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
  replication: 'ReplicationConfigurationNotFoundError',
  website: 'NoSuchWebsiteConfiguration',
} as const;
/** The roots of the lists of settings of which a bucket can have several, each with an id. */
const LISTS = {
  analytics: 'ListBucketAnalyticsConfigurationResult',
  'intelligent-tiering': 'ListBucketIntelligentTieringConfigurationsOutput',
  inventory: 'ListInventoryConfigurationsResult',
  metrics: 'ListMetricsConfigurationsResult',
} as const;

/** Reads of settings that buckets do not have; clients request them to show or compare them. */
export async function getBucketSetting(call: S3Call): Promise<S3Response> {
  const { request, bucket } = call;
  const names = request.query.map(([name]) => name);
  for (const [name, code] of Object.entries(UNSET)) {
    if (names.includes(name)) throw new S3Error(code, undefined, { BucketName: bucket.name });
  }
  for (const [name, root] of Object.entries(LISTS)) {
    if (!names.includes(name)) continue;
    requireNoId(request);
    return { status: 200, body: writeXml(root, { IsTruncated: false }) };
  }
  const describe = Object.entries(SETTINGS).find(([name]) => names.includes(name))?.[1];
  if (describe === undefined) throw new S3Error('NotImplemented');
  const { root, fields } = describe(call);
  return { status: 200, body: writeXml(root, fields) };
}

/** Settings that can be put as they are, by their root; `isKept` tells a document that changes nothing from what is not supported. */
const KEPT: Readonly<Record<string, { root: string; isKept(root: XmlElement): boolean }>> = {
  logging: { root: 'BucketLoggingStatus', isKept: isEmpty },
  notification: { root: 'NotificationConfiguration', isKept: isEmpty },
  requestPayment: { root: 'RequestPaymentConfiguration', isKept: isPaidByOwner },
};

function isEmpty({ children }: XmlElement): boolean {
  return children.length === 0;
}

/** @throws MalformedXML */
function isPaidByOwner(root: XmlElement): boolean {
  const payer = textOf(root, 'Payer')?.trim() ?? '';
  if (!PAYERS.includes(payer)) throw new S3Error('MalformedXML');
  return payer === 'BucketOwner';
}

const PAYERS = ['BucketOwner', 'Requester'];

/** Puts of settings as every bucket has them: set-ups write them to be sure. @throws NotImplemented for any other */
export async function putBucketSetting(call: S3Call): Promise<S3Response> {
  const setting = Object.entries(KEPT).find(([name]) => queryValue(call.request, name) !== null)?.[1];
  if (setting === undefined) throw new S3Error('NotImplemented');
  const root = readXml(await readSmallBody(call, S3_LIMITS.otherXmlBytesMax), setting.root);
  if (!setting.isKept(root)) throw new S3Error('NotImplemented');
  return { status: 200 };
}

/** Deletes of settings that no bucket has: afterwards it has none. */
export async function deleteBucketSetting({ request }: S3Call): Promise<S3Response> {
  requireNoId(request);
  return { status: 204 };
}

/** @throws NoSuchConfiguration for a setting by its id */
function requireNoId(request: S3Request): void {
  if (queryValue(request, 'id') !== null) throw new S3Error('NoSuchConfiguration');
}

/** An operation that this service does not have, by somebody who could use it. */
export async function refuseOperation(): Promise<S3Response> {
  throw new S3Error('NotImplemented');
}

/** PutObjectLockConfiguration: a bucket without object lock never gets it. */
export async function putObjectLockConfiguration(): Promise<S3Response> {
  throw new S3Error(
    'InvalidBucketState',
    "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration",
  );
}

/** Retention and legal holds of objects, in a bucket without object lock. */
export async function useObjectLock(): Promise<S3Response> {
  throw new S3Error('InvalidRequest', NO_OBJECT_LOCK);
}

/** Who owns what others store in a bucket, by S3's names. */
export const OWNERSHIPS: readonly string[] = ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'];

/** PutBucketOwnershipControls: the owner owns everything, which a client may say again. @throws NotImplemented for other rules */
export async function putBucketOwnershipControls(call: S3Call): Promise<S3Response> {
  const body = await readSmallBody(call, S3_LIMITS.otherXmlBytesMax);
  const rules = childrenOf(readXml(body, 'OwnershipControls'), 'Rule');
  const [ownership] = rules.map((rule) => textOf(rule, 'ObjectOwnership'));
  if (rules.length !== 1 || !OWNERSHIPS.includes(ownership ?? '')) throw new S3Error('MalformedXML');
  if (ownership !== 'BucketOwnerEnforced') throw new S3Error('NotImplemented');
  return { status: 200 };
}

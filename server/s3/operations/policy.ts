import { readBodyOfChange } from '../body/read-body.ts';
import type { S3Call, S3Response } from '../call.ts';
import { isRecord } from '../is-record.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { requireBucketRight } from './bucket-right.ts';
import { listOf, readPolicyDocument } from './policy-document.ts';

/** What a policy may consist of here; a statement with anything else, such as a condition, means something else. */
const POLICY_FIELDS: ReadonlySet<string> = new Set(['Version', 'Id', 'Statement']);
const STATEMENT_FIELDS: ReadonlySet<string> = new Set(['Sid', 'Effect', 'Principal', 'Action', 'Resource']);
const READS: ReadonlySet<string> = new Set(['s3:GetObject', 's3:GetObjectVersion']);

/** GetBucketPolicy: the policy that a public bucket has, whoever set it. */
export async function getBucketPolicy({ bucket }: S3Call): Promise<S3Response> {
  if (!bucket.isPublic) throw new S3Error('NoSuchBucketPolicy', undefined, { BucketName: bucket.name });
  const statement = {
    Sid: 'PublicRead',
    Effect: 'Allow',
    Principal: '*',
    Action: 's3:GetObject',
    Resource: objectsOf(bucket.name),
  };
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ Version: '2012-10-17', Statement: [statement] }),
  };
}

/** PutBucketPolicy: the one policy that there is lets anyone read the objects; by a credential that may. */
export async function putBucketPolicy(call: S3Call): Promise<S3Response> {
  const { access, bucket, ports } = call;
  const text = await readBodyOfChange(call, S3_LIMITS.policyBytesMax);
  requireBucketRight(access, 'say who reads a bucket');
  requirePublicRead(text, bucket.name);
  await ports.setPublicRead(bucket, access, true);
  return { status: 204 };
}

/** DeleteBucketPolicy: only credentials read the objects from now on. */
export async function deleteBucketPolicy(call: S3Call): Promise<S3Response> {
  const { access, bucket, ports } = call;
  if (bucket.isPublic) {
    requireBucketRight(access, 'say who reads a bucket');
    await ports.setPublicRead(bucket, access, false);
  }
  return { status: 204 };
}

function objectsOf(bucketName: string): string {
  return `arn:aws:s3:::${bucketName}/*`;
}

/** @throws MalformedPolicy for what is no policy; NotImplemented for one that means something else */
function requirePublicRead(text: string, bucketName: string): void {
  const { fields, statements } = readPolicyDocument(text, bucketName);
  const isPublicRead =
    Object.keys(fields).every((name) => POLICY_FIELDS.has(name)) &&
    statements.length === 1 &&
    statements.every((statement) => allowsReading(statement, bucketName));
  if (isPublicRead) return;
  throw new S3Error(
    'NotImplemented',
    `The only policy of a bucket here allows everyone s3:GetObject on ${objectsOf(bucketName)}, without conditions.`,
  );
}

function allowsReading(statement: Record<string, unknown>, bucketName: string): boolean {
  const { Effect, Principal, Action, Resource } = statement;
  const principals = isRecord(Principal) ? principalsOf(Principal) : listOf(Principal);
  const actions = listOf(Action);
  return (
    Object.keys(statement).every((name) => STATEMENT_FIELDS.has(name)) &&
    Effect === 'Allow' &&
    isOnly(principals, '*') &&
    actions.includes('s3:GetObject') &&
    actions.every((action) => typeof action === 'string' && READS.has(action)) &&
    isOnly(listOf(Resource), objectsOf(bucketName))
  );
}

/** Those of `{"AWS": …}`; a principal of another kind is never everyone. */
function principalsOf(principal: Record<string, unknown>): readonly unknown[] {
  return Object.keys(principal).every((kind) => kind === 'AWS') ? listOf(principal.AWS) : [];
}

function isOnly(values: readonly unknown[], wanted: string): boolean {
  return values.length > 0 && values.every((value) => value === wanted);
}

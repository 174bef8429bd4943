import type { IncomingMessage } from 'node:http';
import type { ObjectCall, S3Answer, S3Call } from './call.ts';
import { CORS_METHODS, decideCors, isHeaderName } from './decide-cors.ts';
import { decideOperation, type OperationName } from './operation.ts';
import {
  deleteBucketSetting,
  getBucketLocation,
  getBucketSetting,
  getObjectAcl,
  headBucket,
  listBuckets,
  putBucketAcl,
  putBucketOwnershipControls,
  putObjectAcl,
  putObjectLockConfiguration,
  useObjectLock,
} from './operations/buckets.ts';
import {
  createBucket,
  deleteBucket,
  deleteBucketTagging,
  getBucketTagging,
  putBucketTagging,
} from './operations/change-buckets.ts';
import { completeMultipartUpload } from './operations/complete-upload.ts';
import { copyObject } from './operations/copy-object.ts';
import { deleteBucketCors, getBucketCors, putBucketCors } from './operations/cors.ts';
import { deleteObjects } from './operations/delete-objects.ts';
import { listObjects, listObjectsV2, listObjectVersions } from './operations/list-objects.ts';
import { deleteBucketPolicy, getBucketPolicy, putBucketPolicy } from './operations/policy.ts';
import { postObject } from './operations/post-object.ts';
import {
  deletePublicAccessBlock,
  getPublicAccessBlock,
  putPublicAccessBlock,
  refuseBlockedAcl,
} from './operations/public-access-block.ts';
import { getObjectAttributes, readObject } from './operations/read-object.ts';
import {
  type PublicReadParts,
  readPublicObject,
  requireSomeBucket,
} from './operations/read-public-object.ts';
import { deleteObjectTagging, getObjectTagging, putObjectTagging } from './operations/tagging.ts';
import {
  abortMultipartUpload,
  createMultipartUpload,
  listMultipartUploads,
  listParts,
  uploadPart,
  uploadPartCopy,
} from './operations/uploads.ts';
import { deleteObject, putObject } from './operations/write-object.ts';
import type { CorsRule, S3Access, S3Bucket, S3Ports } from './ports.ts';
import { S3Error } from './s3-error.ts';
import { headerOf, readS3Request, type S3Request } from './s3-request.ts';
import { authenticate } from './signature/authenticate.ts';

/** The address and region of the service. */
export interface S3Settings {
  /** The hostname whose subdomains are buckets, without a port. */
  readonly domain: string;
  /** The only region. */
  readonly region: string;
  /** How clients reach it: a proxy in front may terminate TLS. */
  readonly scheme: 'http' | 'https';
  /** The console's own pages, which reach every bucket by signed addresses whatever its rules. */
  readonly consoleOrigin: string;
}

const CONSOLE_MAX_AGE_SECONDS = 3_600;

type BucketOperation = { permission: 'read' | 'write'; run(call: S3Call): Promise<S3Answer> };
type ObjectOperation = { permission: 'read' | 'write'; run(call: ObjectCall): Promise<S3Answer> };

const read = <T>(run: T) => ({ permission: 'read' as const, run });
const write = <T>(run: T) => ({ permission: 'write' as const, run });

const ON_BUCKET: Partial<Record<OperationName, BucketOperation>> = {
  HeadBucket: read(headBucket),
  GetBucketLocation: read(getBucketLocation),
  GetBucketCors: read(getBucketCors),
  PutBucketCors: write(putBucketCors),
  DeleteBucketCors: write(deleteBucketCors),
  GetBucketSetting: read(getBucketSetting),
  DeleteBucketSetting: write(deleteBucketSetting),
  PutBucketAcl: write(putBucketAcl),
  GetBucketPolicy: read(getBucketPolicy),
  PutBucketPolicy: write(putBucketPolicy),
  DeleteBucketPolicy: write(deleteBucketPolicy),
  GetPublicAccessBlock: read(getPublicAccessBlock),
  PutPublicAccessBlock: write(putPublicAccessBlock),
  DeletePublicAccessBlock: write(deletePublicAccessBlock),
  PutObjectLockConfiguration: write(putObjectLockConfiguration),
  PutBucketOwnershipControls: write(putBucketOwnershipControls),
  GetBucketTagging: read(getBucketTagging),
  PutBucketTagging: write(putBucketTagging),
  DeleteBucketTagging: write(deleteBucketTagging),
  DeleteBucket: write(deleteBucket),
  ListObjects: read(listObjects),
  ListObjectsV2: read(listObjectsV2),
  ListObjectVersions: read(listObjectVersions),
  ListMultipartUploads: read(listMultipartUploads),
  DeleteObjects: write(deleteObjects),
};
const ON_OBJECT: Partial<Record<OperationName, ObjectOperation>> = {
  GetObject: read(readObject),
  HeadObject: read(readObject),
  PutObject: write(putObject),
  CopyObject: write(copyObject),
  DeleteObject: write(deleteObject),
  GetObjectAcl: read(getObjectAcl),
  PutObjectAcl: write(putObjectAcl),
  UseObjectLock: read(useObjectLock),
  GetObjectAttributes: read(getObjectAttributes),
  GetObjectTagging: read(getObjectTagging),
  PutObjectTagging: write(putObjectTagging),
  DeleteObjectTagging: write(deleteObjectTagging),
  CreateMultipartUpload: write(createMultipartUpload),
  UploadPart: write(uploadPart),
  UploadPartCopy: write(uploadPartCopy),
  ListParts: read(listParts),
  CompleteMultipartUpload: write(completeMultipartUpload),
  AbortMultipartUpload: write(abortMultipartUpload),
};

/**
 * Answers one request: authenticates it, determines the operation, checks permission, and runs it.
 * @param noteOperation called with the operation
 * @param noteBucket called as soon as the bucket is known whose owner is billed for the answer, even for an
 * error
 * @param admitPublicRead whether the client may read one more object without access to its bucket
 * @throws S3Error for every refusal
 */
export async function answerRequest(
  message: IncomingMessage,
  ports: S3Ports,
  settings: S3Settings,
  {
    id,
    now,
    noteOperation,
    noteBucket,
    admitPublicRead,
  }: {
    id: string;
    now: number;
    noteOperation(operation: OperationName): void;
    noteBucket(bucket: S3Bucket): void;
    admitPublicRead(bucketName: string): boolean;
  },
): Promise<S3Answer> {
  const request = readS3Request(message, settings, id);
  if (request.method === 'OPTIONS') return answerPreflight(request, ports, settings);
  const operation = decideOperation(request);
  noteOperation(operation);
  if (operation === 'PostObject') {
    const requireBucket = async (access: S3Access) => {
      const bucket = await requireReach(ports, access, request.bucket ?? '', 'write');
      noteBucket(bucket);
      return bucket;
    };
    const bucketName = request.bucket ?? '';
    return postObject({ request, bucketName, region: settings.region, ports, now, requireBucket });
  }
  const authenticated = await authenticate(request, ports, { region: settings.region, now });
  const isRead = operation === 'GetObject' || operation === 'HeadObject';
  const publicRead: PublicReadParts = { request, ports, noteBucket, admitPublicRead };
  if (authenticated === null) {
    if (isRead) return readPublicObject(publicRead, 'anonymous');
    if (operation !== 'CreateBucket') await requireSomeBucket(publicRead);
    throw new S3Error('AccessDenied');
  }
  const { access } = authenticated;
  if (operation === 'ListBuckets') return listBuckets(request, access, ports);
  if (operation === 'CreateBucket') {
    return createBucket(request, authenticated, { ports, region: settings.region });
  }
  const onBucket = ON_BUCKET[operation];
  const onObject = ON_OBJECT[operation];
  const chosen = onBucket ?? onObject;
  if (chosen === undefined) throw new S3Error('NotImplemented');
  const bucket = await findReached(ports, access, request.bucket ?? '', chosen.permission);
  if (bucket === null) {
    if (isRead) return readPublicObject(publicRead, 'signed');
    throw new S3Error('AccessDenied');
  }
  noteBucket(bucket);
  requireExpectedOwner(request, 'x-amz-expected-bucket-owner', bucket);
  refuseBlockedAcl(request, bucket);
  const call: S3Call = {
    request,
    authenticated,
    access,
    bucket,
    ports,
    now,
    region: settings.region,
    requireSource: async (name) => {
      const source = await requireReach(ports, access, name, 'read');
      requireExpectedOwner(request, 'x-amz-source-expected-bucket-owner', source);
      return source;
    },
  };
  return onBucket
    ? onBucket.run(call)
    : (onObject as ObjectOperation).run({ ...call, key: request.key ?? '' });
}

/**
 * Returns a bucket that the caller can access. For another organization's bucket the answer is S3's: it
 * exists, but access is denied.
 */
async function requireReach(
  ports: S3Ports,
  access: S3Access,
  name: string,
  permission: 'read' | 'write',
): Promise<S3Bucket> {
  const bucket = await findReached(ports, access, name, permission);
  if (bucket === null) throw new S3Error('AccessDenied');
  return bucket;
}

/** Null for a bucket that the caller cannot access. @throws NoSuchBucket */
async function findReached(
  ports: S3Ports,
  access: S3Access,
  name: string,
  permission: 'read' | 'write',
): Promise<S3Bucket | null> {
  const bucket = await ports.findBucket(name);
  if (bucket === null) throw new S3Error('NoSuchBucket', undefined, { BucketName: name });
  return access.mayReach(bucket.id, permission) ? bucket : null;
}

/**
 * A client that names the expected owner wants to use no other's bucket.
 * @throws AccessDenied
 */
function requireExpectedOwner(request: S3Request, header: string, bucket: S3Bucket): void {
  const expected = headerOf(request, header);
  if (expected !== null && expected !== bucket.ownerId) throw new S3Error('AccessDenied');
}

/** Answers a browser's preflight request: never signed. */
async function answerPreflight(
  request: S3Request,
  ports: S3Ports,
  { consoleOrigin }: S3Settings,
): Promise<S3Answer> {
  const origin = headerOf(request, 'origin') || null;
  const method = headerOf(request, 'access-control-request-method');
  if (origin === null || method === null) {
    const missing = origin === null ? 'Origin request header' : 'Access-Control-Request-Method';
    throw new S3Error('BadRequest', `Insufficient information. ${missing} needed.`);
  }
  if (!CORS_METHODS.includes(method)) {
    throw new S3Error('BadRequest', `Invalid Access-Control-Request-Method: ${method}`);
  }
  const headers = readAskedHeaders(headerOf(request, 'access-control-request-headers') ?? '');
  const bucket = request.bucket === null ? null : await ports.findBucket(request.bucket);
  const rules = [consoleRule(consoleOrigin), ...(bucket?.corsRules ?? [])];
  const allowed = decideCors(rules, { origin, method, headers });
  if (allowed) return { status: 200, headers: allowed };
  if (bucket === null && request.bucket !== null) {
    throw new S3Error('NoSuchBucket', undefined, { BucketName: request.bucket });
  }
  throw new S3Error(
    'AccessForbidden',
    bucket?.corsRules.length === 0 ? 'CORSResponse: CORS is not enabled for this bucket.' : undefined,
    { Method: method, ResourceType: request.key === null ? 'BUCKET' : 'OBJECT' },
  );
}

/** @throws BadRequest for what is not the name of a header */
function readAskedHeaders(text: string): string[] {
  const names = splitNames(text);
  const wrong = names.find((name) => !isHeaderName(name));
  if (wrong !== undefined) {
    throw new S3Error(
      'BadRequest',
      `Access-Control-Request-Headers "${toText(wrong)}" contains invalid character.`,
    );
  }
  return names.map((name) => name.toLowerCase());
}

function splitNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '');
}

/** A header as its sender wrote it, for a text: Node reads its bytes as Latin-1. */
function toText(header: string): string {
  return Buffer.from(header, 'latin1').toString('utf8');
}

/**
 * Returns the headers that let a browser read the answer if the bucket's rules allow it, and for the
 * console's pages always.
 */
export function corsHeaders(
  message: Pick<IncomingMessage, 'headers' | 'method'>,
  bucket: S3Bucket | null,
  { consoleOrigin }: S3Settings,
): Record<string, string> {
  const { origin } = message.headers;
  if (origin === undefined) return {};
  const rules = [consoleRule(consoleOrigin), ...(bucket?.corsRules ?? [])];
  // S3 goes by what a preflight would ask for, where a request says that as well.
  const asked = (name: string) => headerOf(message, `access-control-request-${name}`);
  const method = asked('method') ?? message.method ?? 'GET';
  return (
    decideCors(rules, { origin, method, headers: splitNames((asked('headers') ?? '').toLowerCase()) }) ?? {}
  );
}

/**
 * What the console's pages may do, before any rule of a bucket: send whatever is signed, and read the
 * response headers that uploads need.
 */
function consoleRule(origin: string): CorsRule {
  return {
    allowedOrigins: [origin],
    allowedMethods: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'],
    allowedHeaders: ['*'],
    exposeHeaders: ['ETag', 'Content-Range', 'Retry-After', 'x-amz-request-id'],
    maxAgeSeconds: CONSOLE_MAX_AGE_SECONDS,
  };
}

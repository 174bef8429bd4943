import { S3Error } from './s3-error.ts';
import { headerOf, queryValue, type S3Request } from './s3-request.ts';

/** Operations before which there is no bucket that the credential of the head reaches. */
type UnboundOperation = 'ListBuckets' | 'CreateBucket' | 'PostObject';

/** Operations on a bucket. */
export type BucketOperation =
  | 'DeleteBucket'
  | 'HeadBucket'
  | 'GetBucketLocation'
  | 'GetBucketCors'
  | 'PutBucketCors'
  | 'DeleteBucketCors'
  | 'GetBucketSetting'
  | 'PutBucketSetting'
  | 'DeleteBucketSetting'
  | 'PutBucketAcl'
  | 'PutBucketOwnershipControls'
  | 'PutObjectLockConfiguration'
  | 'GetBucketPolicy'
  | 'PutBucketPolicy'
  | 'DeleteBucketPolicy'
  | 'GetPublicAccessBlock'
  | 'PutPublicAccessBlock'
  | 'DeletePublicAccessBlock'
  | 'GetBucketTagging'
  | 'PutBucketTagging'
  | 'DeleteBucketTagging'
  | 'ListObjects'
  | 'ListObjectsV2'
  | 'ListObjectVersions'
  | 'ListMultipartUploads'
  | 'DeleteObjects'
  | 'UnsupportedOperation';

/** Operations on an object. */
export type ObjectOperation =
  | 'GetObject'
  | 'HeadObject'
  | 'PutObject'
  | 'CopyObject'
  | 'DeleteObject'
  | 'GetObjectAcl'
  | 'PutObjectAcl'
  | 'UseObjectLock'
  | 'GetObjectAttributes'
  | 'GetObjectTagging'
  | 'PutObjectTagging'
  | 'DeleteObjectTagging'
  | 'CreateMultipartUpload'
  | 'UploadPart'
  | 'UploadPartCopy'
  | 'ListParts'
  | 'CompleteMultipartUpload'
  | 'AbortMultipartUpload';

/**
 * Operations by the names of the API reference; those on settings that no bucket has share a name, and so do those on
 * retention and legal holds, and all that this service does not have.
 */
export type OperationName = UnboundOperation | BucketOperation | ObjectOperation;

type Table<Name> = Readonly<Record<string, Readonly<Record<string, Name>>>>;

/** By method and the subresource in the query; '' is the bucket or object itself. */
const BUCKET: Table<BucketOperation | 'CreateBucket' | 'PostObject'> = {
  GET: {
    '': 'ListObjects',
    accelerate: 'GetBucketSetting',
    analytics: 'GetBucketSetting',
    'intelligent-tiering': 'GetBucketSetting',
    inventory: 'GetBucketSetting',
    metrics: 'GetBucketSetting',
    replication: 'GetBucketSetting',
    location: 'GetBucketLocation',
    cors: 'GetBucketCors',
    uploads: 'ListMultipartUploads',
    versions: 'ListObjectVersions',
    acl: 'GetBucketSetting',
    encryption: 'GetBucketSetting',
    lifecycle: 'GetBucketSetting',
    logging: 'GetBucketSetting',
    notification: 'GetBucketSetting',
    'object-lock': 'GetBucketSetting',
    ownershipControls: 'GetBucketSetting',
    policy: 'GetBucketPolicy',
    policyStatus: 'GetBucketSetting',
    publicAccessBlock: 'GetPublicAccessBlock',
    requestPayment: 'GetBucketSetting',
    tagging: 'GetBucketTagging',
    versioning: 'GetBucketSetting',
    website: 'GetBucketSetting',
  },
  HEAD: { '': 'HeadBucket' },
  PUT: {
    '': 'CreateBucket',
    acl: 'PutBucketAcl',
    cors: 'PutBucketCors',
    'object-lock': 'PutObjectLockConfiguration',
    ownershipControls: 'PutBucketOwnershipControls',
    logging: 'PutBucketSetting',
    notification: 'PutBucketSetting',
    policy: 'PutBucketPolicy',
    publicAccessBlock: 'PutPublicAccessBlock',
    requestPayment: 'PutBucketSetting',
    tagging: 'PutBucketTagging',
  },
  POST: { '': 'PostObject', delete: 'DeleteObjects' },
  DELETE: {
    '': 'DeleteBucket',
    cors: 'DeleteBucketCors',
    tagging: 'DeleteBucketTagging',
    analytics: 'DeleteBucketSetting',
    encryption: 'DeleteBucketSetting',
    'intelligent-tiering': 'DeleteBucketSetting',
    inventory: 'DeleteBucketSetting',
    lifecycle: 'DeleteBucketSetting',
    metrics: 'DeleteBucketSetting',
    ownershipControls: 'DeleteBucketSetting',
    replication: 'DeleteBucketSetting',
    policy: 'DeleteBucketPolicy',
    publicAccessBlock: 'DeletePublicAccessBlock',
    website: 'DeleteBucketSetting',
  },
};
const OBJECT: Table<ObjectOperation> = {
  GET: {
    '': 'GetObject',
    acl: 'GetObjectAcl',
    attributes: 'GetObjectAttributes',
    'legal-hold': 'UseObjectLock',
    retention: 'UseObjectLock',
    tagging: 'GetObjectTagging',
    uploadId: 'ListParts',
  },
  HEAD: { '': 'HeadObject' },
  PUT: {
    '': 'PutObject',
    acl: 'PutObjectAcl',
    'legal-hold': 'UseObjectLock',
    retention: 'UseObjectLock',
    tagging: 'PutObjectTagging',
    uploadId: 'UploadPart',
  },
  POST: { uploads: 'CreateMultipartUpload', uploadId: 'CompleteMultipartUpload' },
  DELETE: { '': 'DeleteObject', tagging: 'DeleteObjectTagging', uploadId: 'AbortMultipartUpload' },
};

/** Query parameters that choose an operation, both supported and not. */
const SUBRESOURCES: ReadonlySet<string> = new Set([
  ...Object.values(BUCKET).flatMap(Object.keys),
  ...Object.values(OBJECT).flatMap(Object.keys),
  ...['metadataConfiguration', 'metadataInventoryTable', 'metadataJournalTable', 'metadataTable'],
  ...['abac', 'renameObject', 'restore', 'select', 'session', 'torrent'],
]);

/**
 * Determines the operation of a request.
 * @throws MethodNotAllowed, InvalidArgument, InvalidRequest
 */
export function decideOperation(request: S3Request): OperationName {
  const { bucket, key, method, query } = request;
  if (bucket === null) {
    if (method === 'GET') return 'ListBuckets';
    throw notAllowed(request);
  }
  const asked = query.map(([name]) => name).filter((name) => SUBRESOURCES.has(name));
  const [subresource = '', ...more] = new Set(asked);
  if (more.length > 0)
    throw new S3Error('InvalidArgument', `Conflicting query string parameters: ${asked.join(', ')}`);
  refuseMisplaced(request, subresource);
  const bySubresource = (key === null ? BUCKET : OBJECT)[method];
  if (bySubresource === undefined) throw notAllowed(request);
  const name = bySubresource[subresource];
  if (name === undefined) {
    if (subresource === '') throw notAllowed(request);
    // Refused once the access is known: a wrong signature or bucket is reported first.
    return 'UnsupportedOperation';
  }
  const listType = queryValue(request, 'list-type');
  if (name === 'ListObjects' && listType !== null && listType !== '1') {
    if (listType !== '2') throw new S3Error('InvalidArgument');
    return 'ListObjectsV2';
  }
  const source = headerOf(request, 'x-amz-copy-source');
  if (source === null) return name;
  if (name === 'PutObject') return 'CopyObject';
  if (name === 'UploadPart') return 'UploadPartCopy';
  if (method === 'PUT') return name;
  throw S3Error.ofArgument(
    'x-amz-copy-source',
    source,
    'You can only specify a copy source header for copy requests.',
  );
}

/** The kinds of resources that a method is not allowed on, and how they can be asked instead. */
const METHODS = {
  SERVICE: ['GET'],
  BUCKET: methodsOf(BUCKET, ''),
  OBJECT: methodsOf(OBJECT, ''),
  // PUT takes the number of a part beside it.
  UPLOAD: methodsOf(OBJECT, 'uploadId').filter((method) => method !== 'PUT'),
};

function methodsOf(table: Table<OperationName>, subresource: string): string[] {
  return Object.keys(table).filter((method) => table[method]?.[subresource] !== undefined);
}

function notAllowed({ bucket, key, method }: S3Request, isUpload = false): S3Error {
  const ofBucket = bucket === null ? 'SERVICE' : 'BUCKET';
  const kind = key === null ? ofBucket : isUpload ? 'UPLOAD' : 'OBJECT';
  const details = { Method: method, ResourceType: kind };
  return new S3Error('MethodNotAllowed', undefined, details, { allow: METHODS[kind].join(', ') });
}

/**
 * Refuses parameters that would change what a request is about, on a resource that does not have them: ignoring them would store a part as
 * a whole object, or show the content of a key instead of a list.
 * @throws InvalidArgument, InvalidRequest, MethodNotAllowed
 */
function refuseMisplaced(request: S3Request, subresource: string): void {
  const { key, method } = request;
  if (key === null) return;
  const part = queryValue(request, 'partNumber');
  if (method === 'PUT' && subresource === '' && part !== null) {
    throw S3Error.ofArgument(
      'partNumber',
      part,
      'This operation does not accept partNumber without uploadId',
    );
  }
  if (method === 'PUT' && subresource === 'uploadId' && part === null) {
    throw notAllowed(request, true);
  }
  if (method === 'GET' && subresource === 'uploads') {
    throw new S3Error('InvalidRequest', 'Key is not expected for the GET method ?uploads subresource');
  }
  if (method === 'GET' && subresource === 'versions') {
    throw new S3Error('InvalidRequest', 'There is no such thing as the ?versions sub-resource for a key');
  }
}

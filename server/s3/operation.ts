import { S3Error } from './s3-error.ts';
import { headerOf, queryValue, type S3Request } from './s3-request.ts';

/** Operations by the names of the API reference. */
export type OperationName =
  | 'ListBuckets'
  | 'CreateBucket'
  | 'DeleteBucket'
  | 'HeadBucket'
  | 'GetBucketLocation'
  | 'GetBucketCors'
  | 'PutBucketCors'
  | 'DeleteBucketCors'
  | 'GetBucketSetting'
  | 'PutObjectLockConfiguration'
  | 'PutBucketOwnershipControls'
  | 'UseObjectLock'
  | 'DeleteBucketSetting'
  | 'PutBucketAcl'
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
  | 'PostObject'
  | 'GetObject'
  | 'HeadObject'
  | 'PutObject'
  | 'CopyObject'
  | 'DeleteObject'
  | 'GetObjectAcl'
  | 'PutObjectAcl'
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

type Table = Readonly<Record<string, OperationName>>;

/** By method and the subresource in the query; '' is the bucket or object itself. */
const BUCKET: Readonly<Record<string, Table>> = {
  GET: {
    '': 'ListObjects',
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
    policy: 'PutBucketPolicy',
    publicAccessBlock: 'PutPublicAccessBlock',
    tagging: 'PutBucketTagging',
  },
  POST: { '': 'PostObject', delete: 'DeleteObjects' },
  DELETE: {
    '': 'DeleteBucket',
    cors: 'DeleteBucketCors',
    tagging: 'DeleteBucketTagging',
    lifecycle: 'DeleteBucketSetting',
    policy: 'DeleteBucketPolicy',
    publicAccessBlock: 'DeletePublicAccessBlock',
    website: 'DeleteBucketSetting',
  },
};
const OBJECT: Readonly<Record<string, Table>> = {
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
  ...['accelerate', 'analytics', 'intelligent-tiering', 'inventory', 'metadataConfiguration'],
  ...[
    'metadataInventoryTable',
    'metadataJournalTable',
    'metadataTable',
    'metrics',
    'renameObject',
    'replication',
  ],
  ...['restore', 'select', 'session', 'torrent', 'abac'],
]);

/**
 * Determines the operation of a request.
 * @throws NotImplemented, MethodNotAllowed, InvalidArgument
 */
export function decideOperation(request: S3Request): OperationName {
  const { bucket, key, method, query } = request;
  if (bucket === null) {
    if (method === 'GET') return 'ListBuckets';
    throw new S3Error('MethodNotAllowed');
  }
  const asked = query.map(([name]) => name).filter((name) => SUBRESOURCES.has(name));
  const [subresource = '', ...more] = new Set(asked);
  if (more.length > 0)
    throw new S3Error('InvalidArgument', `Conflicting query string parameters: ${asked.join(', ')}`);
  const table = (key === null ? BUCKET : OBJECT)[method];
  if (table === undefined) throw new S3Error('MethodNotAllowed');
  const name = table[subresource];
  if (name === undefined) throw new S3Error(subresource === '' ? 'MethodNotAllowed' : 'NotImplemented');
  if (name === 'ListObjects' && queryValue(request, 'list-type') !== null) {
    if (queryValue(request, 'list-type') !== '2') throw new S3Error('InvalidArgument');
    return 'ListObjectsV2';
  }
  if (headerOf(request, 'x-amz-copy-source') !== null) {
    if (name === 'PutObject') return 'CopyObject';
    if (name === 'UploadPart') return 'UploadPartCopy';
  }
  return name;
}

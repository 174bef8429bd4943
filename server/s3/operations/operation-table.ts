import type { ObjectCall, S3Call, S3Response } from '../call.ts';
import type { BucketOperation, ObjectOperation } from '../operation.ts';
import { S3Error } from '../s3-error.ts';
import { getObjectAcl, putBucketAcl, putObjectAcl } from './acl.ts';
import {
  deleteBucketSetting,
  getBucketSetting,
  putBucketOwnershipControls,
  putBucketSetting,
  putObjectLockConfiguration,
  refuseOperation,
  useObjectLock,
} from './bucket-settings.ts';
import { deleteBucket, getBucketLocation, headBucket } from './buckets.ts';
import { completeMultipartUpload } from './complete-upload.ts';
import { copyObject } from './copy-object.ts';
import { deleteBucketCors, getBucketCors, putBucketCors } from './cors.ts';
import { deleteObjects } from './delete-objects.ts';
import { listObjects, listObjectsV2, listObjectVersions } from './list-objects.ts';
import { listMultipartUploads, listParts } from './list-uploads.ts';
import { deleteBucketPolicy, getBucketPolicy, putBucketPolicy } from './policy.ts';
import {
  deletePublicAccessBlock,
  getPublicAccessBlock,
  putPublicAccessBlock,
} from './public-access-block.ts';
import { getObjectAttributes, readObject } from './read-object.ts';
import {
  deleteBucketTagging,
  deleteObjectTagging,
  getBucketTagging,
  getObjectTagging,
  putBucketTagging,
  putObjectTagging,
} from './tagging.ts';
import { abortMultipartUpload, createMultipartUpload, uploadPart, uploadPartCopy } from './uploads.ts';
import { deleteObject, putObject } from './write-object.ts';

/** What an operation does, and what its credential must be allowed to do in the bucket. */
interface Operation {
  readonly permission: 'read' | 'write';
  run(call: S3Call): Promise<S3Response>;
}

const read = (run: Operation['run']): Operation => ({ permission: 'read', run });
const write = (run: Operation['run']): Operation => ({ permission: 'write', run });
/** For reads that may hold thousands of rows, and have nothing to receive first. @throws RequestTimeout when the client has gone meanwhile */
const long =
  <Call extends S3Call>(run: (call: Call) => Promise<S3Response>) =>
  (call: Call): Promise<S3Response> =>
    call.ports.asLongWork(call.bucket, () => {
      if (call.request.body.socket.destroyed) throw new S3Error('RequestTimeout');
      return run(call);
    });
const ofObject =
  (run: (call: ObjectCall) => Promise<S3Response>): Operation['run'] =>
  (call) =>
    run({ ...call, key: call.request.key ?? '' });

/** Operations on buckets and objects that the credential of the request reaches. */
export const OPERATIONS: Readonly<Record<BucketOperation | ObjectOperation, Operation>> = {
  HeadBucket: read(headBucket),
  GetBucketLocation: read(getBucketLocation),
  GetBucketCors: read(getBucketCors),
  PutBucketCors: write(putBucketCors),
  DeleteBucketCors: write(deleteBucketCors),
  GetBucketSetting: read(getBucketSetting),
  PutBucketSetting: write(putBucketSetting),
  DeleteBucketSetting: write(deleteBucketSetting),
  UnsupportedOperation: read(refuseOperation),
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
  ListObjects: read(long(listObjects)),
  ListObjectsV2: read(long(listObjectsV2)),
  ListObjectVersions: read(long(listObjectVersions)),
  ListMultipartUploads: read(long(listMultipartUploads)),
  DeleteObjects: write(deleteObjects),
  GetObject: read(ofObject(readObject)),
  HeadObject: read(ofObject(readObject)),
  PutObject: write(ofObject(putObject)),
  CopyObject: write(ofObject(copyObject)),
  DeleteObject: write(ofObject(deleteObject)),
  GetObjectAcl: read(ofObject(getObjectAcl)),
  PutObjectAcl: write(ofObject(putObjectAcl)),
  UseObjectLock: read(ofObject(useObjectLock)),
  GetObjectAttributes: read(ofObject(long(getObjectAttributes))),
  GetObjectTagging: read(ofObject(getObjectTagging)),
  PutObjectTagging: write(ofObject(putObjectTagging)),
  DeleteObjectTagging: write(ofObject(deleteObjectTagging)),
  CreateMultipartUpload: write(ofObject(createMultipartUpload)),
  UploadPart: write(ofObject(uploadPart)),
  UploadPartCopy: write(ofObject(uploadPartCopy)),
  ListParts: read(ofObject(long(listParts))),
  CompleteMultipartUpload: write(ofObject(completeMultipartUpload)),
  AbortMultipartUpload: write(ofObject(abortMultipartUpload)),
};

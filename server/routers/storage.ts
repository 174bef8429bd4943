import { z } from 'zod';
import { checkCors } from '../services/storage/buckets/check-cors.ts';
import { createBucket } from '../services/storage/buckets/create-bucket.ts';
import { deleteBucket } from '../services/storage/buckets/delete-bucket.ts';
import { emptyBucket } from '../services/storage/buckets/empty-bucket.ts';
import { getBucket } from '../services/storage/buckets/get-bucket.ts';
import { listBuckets } from '../services/storage/buckets/list-buckets.ts';
import { pageBuckets } from '../services/storage/buckets/page-buckets.ts';
import { stopEmptyingBucket } from '../services/storage/buckets/stop-emptying-bucket.ts';
import { updateBucket } from '../services/storage/buckets/update-bucket.ts';
import { deleteObjects } from '../services/storage/objects/delete-objects.ts';
import { getObject } from '../services/storage/objects/get-object.ts';
import { listObjects } from '../services/storage/objects/list-objects.ts';
import { shareObject } from '../services/storage/objects/share-object.ts';
import { signObject } from '../services/storage/objects/sign-object.ts';
import {
  bucketInput,
  bucketPageSchema,
  bucketSchema,
  checkCorsInput,
  corsCheckSchema,
  createBucketInput,
  deleteObjectsInput,
  listObjectsInput,
  listUploadsInput,
  objectInput,
  objectPageSchema,
  objectRemovalSchema,
  objectSchema,
  pageBucketsInput,
  sharedLinkSchema,
  shareObjectInput,
  signedAddressesSchema,
  signObjectInput,
  updateBucketInput,
  uploadInput,
  uploadPageSchema,
  uploadTotalsSchema,
} from '../services/storage/schema.ts';
import { abandonIdleUploads } from '../services/storage/uploads/abandon-idle-uploads.ts';
import { abandonUpload } from '../services/storage/uploads/abandon-upload.ts';
import { getUploadTotals } from '../services/storage/uploads/get-upload-totals.ts';
import { listUploads } from '../services/storage/uploads/list-uploads.ts';
import { organizationProcedure, router } from './trpc.ts';

export const storageRouter = router({
  listBuckets: organizationProcedure.output(z.array(bucketSchema)).query(({ ctx }) => listBuckets(ctx)),
  pageBuckets: organizationProcedure
    .input(pageBucketsInput)
    .output(bucketPageSchema)
    .query(({ ctx, input }) => pageBuckets(ctx, input)),
  getBucket: organizationProcedure
    .input(bucketInput)
    .output(bucketSchema)
    .query(({ ctx, input }) => getBucket(ctx, input)),
  createBucket: organizationProcedure
    .input(createBucketInput)
    .output(bucketSchema)
    .mutation(({ ctx, input }) => createBucket(ctx, input)),
  checkCors: organizationProcedure
    .input(checkCorsInput)
    .output(corsCheckSchema)
    .query(({ ctx, input }) => checkCors(ctx, input)),
  updateBucket: organizationProcedure
    .input(updateBucketInput)
    .output(bucketSchema)
    .mutation(({ ctx, input }) => updateBucket(ctx, input)),
  emptyBucket: organizationProcedure
    .input(bucketInput)
    .output(bucketSchema)
    .mutation(({ ctx, input }) => emptyBucket(ctx, input)),
  stopEmptyingBucket: organizationProcedure
    .input(bucketInput)
    .output(bucketSchema)
    .mutation(({ ctx, input }) => stopEmptyingBucket(ctx, input)),
  deleteBucket: organizationProcedure
    .input(bucketInput)
    .mutation(({ ctx, input }) => deleteBucket(ctx, input)),
  listObjects: organizationProcedure
    .input(listObjectsInput)
    .output(objectPageSchema)
    .query(({ ctx, input }) => listObjects(ctx, input)),
  getObject: organizationProcedure
    .input(objectInput)
    .output(objectSchema)
    .query(({ ctx, input }) => getObject(ctx, input)),
  signObject: organizationProcedure
    .input(signObjectInput)
    .output(signedAddressesSchema)
    .query(({ ctx, input }) => signObject(ctx, input)),
  shareObject: organizationProcedure
    .input(shareObjectInput)
    .output(sharedLinkSchema)
    .mutation(({ ctx, input }) => shareObject(ctx, input)),
  deleteObjects: organizationProcedure
    .input(deleteObjectsInput)
    .output(objectRemovalSchema)
    .mutation(({ ctx, input }) => deleteObjects(ctx, input)),
  listUploads: organizationProcedure
    .input(listUploadsInput)
    .output(uploadPageSchema)
    .query(({ ctx, input }) => listUploads(ctx, input)),
  getUploadTotals: organizationProcedure
    .input(bucketInput)
    .output(uploadTotalsSchema)
    .query(({ ctx, input }) => getUploadTotals(ctx, input)),
  abandonUpload: organizationProcedure
    .input(uploadInput)
    .mutation(({ ctx, input }) => abandonUpload(ctx, input)),
  abandonIdleUploads: organizationProcedure
    .input(bucketInput)
    .output(uploadTotalsSchema)
    .mutation(({ ctx, input }) => abandonIdleUploads(ctx, input)),
});

import { z } from 'zod';
import { checkCors } from '../services/storage/check-cors.ts';
import { createBucket } from '../services/storage/create-bucket.ts';
import { deleteBucket } from '../services/storage/delete-bucket.ts';
import { emptyBucket } from '../services/storage/empty-bucket.ts';
import { getBucket } from '../services/storage/get-bucket.ts';
import { listBuckets } from '../services/storage/list-buckets.ts';
import {
  bucketInput,
  bucketSchema,
  checkCorsInput,
  corsCheckSchema,
  createBucketInput,
  updateBucketInput,
} from '../services/storage/schema.ts';
import { stopEmptyingBucket } from '../services/storage/stop-emptying-bucket.ts';
import { updateBucket } from '../services/storage/update-bucket.ts';
import { organizationProcedure, router } from './trpc.ts';

export const storageRouter = router({
  listBuckets: organizationProcedure.output(z.array(bucketSchema)).query(({ ctx }) => listBuckets(ctx)),
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
});

import { z } from 'zod';
import { checkCors } from '../../services/storage/buckets/check-cors.ts';
import { createBucket } from '../../services/storage/buckets/create-bucket.ts';
import { deleteBucket } from '../../services/storage/buckets/delete-bucket.ts';
import { emptyBucket } from '../../services/storage/buckets/empty-bucket.ts';
import { getBucket } from '../../services/storage/buckets/get-bucket.ts';
import { listBuckets } from '../../services/storage/buckets/list-buckets.ts';
import { stopEmptyingBucket } from '../../services/storage/buckets/stop-emptying-bucket.ts';
import { updateBucket } from '../../services/storage/buckets/update-bucket.ts';
import {
  bucketInput,
  bucketSchema,
  checkCorsInput,
  corsCheckSchema,
  createBucketInput,
  listUploadsInput,
  unfinishedUploadSchema,
  updateBucketInput,
  uploadInput,
  uploadTotalsSchema,
} from '../../services/storage/schema.ts';
import { abandonIdleUploads } from '../../services/storage/uploads/abandon-idle-uploads.ts';
import { abandonUpload } from '../../services/storage/uploads/abandon-upload.ts';
import { getUploadTotals } from '../../services/storage/uploads/get-upload-totals.ts';
import { listUploads } from '../../services/storage/uploads/list-uploads.ts';
import { organizationRoute, type Route } from '../route.ts';

const tag = 'Object storage';

export const storageRoutes: Route[] = [
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/storage/buckets',
      id: 'listBuckets',
      tag,
      summary: 'List buckets by name',
      description: 'A credential sees only the buckets in its scopes.',
      success: { kind: 'json', status: 200, schema: z.array(bucketSchema) },
      errors: ['feature_missing'],
    },
    ({ context }) => listBuckets(context),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/storage/buckets',
      id: 'createBucket',
      tag,
      summary: 'Create a bucket',
      description:
        'Names are unique in the installation. `external_id` is the name by which S3 clients know the bucket.',
      body: { json: createBucketInput },
      success: { kind: 'json', status: 201, schema: bucketSchema },
      errors: [
        'person_required',
        'feature_missing',
        'billing_required',
        'bucket_name_taken',
        'limit_buckets',
      ],
      location: (created) => `/api/v1/storage/buckets/${created.id}`,
    },
    ({ context, body }) => createBucket(context, body),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/storage/buckets/{bucket_id}',
      id: 'getBucket',
      tag,
      summary: 'Get a bucket',
      params: bucketInput,
      success: { kind: 'json', status: 200, schema: bucketSchema },
      errors: ['feature_missing', 'out_of_scope', 'bucket_not_found'],
    },
    ({ context, params }) => getBucket(context, params),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/storage/buckets/{bucket_id}/cors-check',
      id: 'checkCors',
      tag,
      summary: 'Check what CORS allows',
      description:
        'Returns what the S3 service would answer to the browser of a script that sends such a request.',
      params: bucketInput,
      query: checkCorsInput.omit({ bucket_id: true }),
      success: { kind: 'json', status: 200, schema: corsCheckSchema },
      errors: ['feature_missing', 'out_of_scope', 'bucket_not_found'],
    },
    ({ context, params, query }) => checkCors(context, { ...params, ...query }),
  ),
  organizationRoute(
    {
      method: 'PATCH',
      path: '/api/v1/storage/buckets/{bucket_id}',
      id: 'updateBucket',
      tag,
      summary: 'Change which websites may use a bucket, and whether its objects are public',
      description:
        'CORS is replaced as a whole: with `cors_enabled` and no `cors_origins`, no origin is allowed. What is absent otherwise stays as it is. ' +
        '`public_read` needs the right to create buckets: with it, anyone reads objects by their address, and nobody lists them.',
      params: bucketInput,
      body: { json: updateBucketInput.omit({ bucket_id: true }) },
      success: { kind: 'json', status: 200, schema: bucketSchema },
      errors: [
        'feature_missing',
        'out_of_scope',
        'bucket_not_found',
        'bucket_not_active',
        'public_access_blocked',
      ],
    },
    ({ context, params, body }) => updateBucket(context, { ...params, ...body }),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/storage/buckets/{bucket_id}/empty',
      id: 'emptyBucket',
      tag,
      summary: 'Empty a bucket',
      description:
        'A job removes everything stored until now, including incomplete multipart uploads; `emptying` of the bucket shows its progress. What is stored later stays. Calling it again includes what has been added since.',
      params: bucketInput,
      success: { kind: 'json', status: 200, schema: bucketSchema },
      errors: ['feature_missing', 'out_of_scope', 'bucket_not_found', 'bucket_not_active'],
      refuses: 'credentials',
    },
    ({ context, params }) => emptyBucket(context, params),
  ),
  organizationRoute(
    {
      method: 'DELETE',
      path: '/api/v1/storage/buckets/{bucket_id}/empty',
      id: 'stopEmptyingBucket',
      tag,
      summary: 'Stop emptying a bucket',
      description: 'What has been removed stays removed. Does nothing when the bucket is not being emptied.',
      params: bucketInput,
      success: { kind: 'json', status: 200, schema: bucketSchema },
      errors: ['feature_missing', 'out_of_scope', 'bucket_not_found'],
      refuses: 'credentials',
    },
    ({ context, params }) => stopEmptyingBucket(context, params),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/storage/buckets/{bucket_id}/uploads',
      id: 'listUploads',
      tag,
      summary: 'List multipart uploads that are not completed, by key',
      description: 'Their parts count as stored, although no list of objects has them.',
      params: bucketInput,
      query: listUploadsInput.omit({ bucket_id: true }),
      success: { kind: 'page', schema: unfinishedUploadSchema },
      errors: ['feature_missing', 'out_of_scope', 'bucket_not_found', 'bucket_not_active'],
    },
    ({ context, params, query }) => listUploads(context, { ...params, ...query }),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/storage/buckets/{bucket_id}/upload-totals',
      id: 'getUploadTotals',
      tag,
      summary: 'Get the totals of multipart uploads that are not completed',
      params: bucketInput,
      success: { kind: 'json', status: 200, schema: uploadTotalsSchema },
      errors: ['feature_missing', 'out_of_scope', 'bucket_not_found', 'bucket_not_active'],
    },
    ({ context, params }) => getUploadTotals(context, params),
  ),
  organizationRoute(
    {
      method: 'DELETE',
      path: '/api/v1/storage/buckets/{bucket_id}/uploads/{upload_id}',
      id: 'abandonUpload',
      tag,
      summary: 'Abandon a multipart upload that is not completed',
      description: 'Its parts are removed, and its client cannot complete it any more.',
      params: uploadInput,
      success: { kind: 'empty' },
      errors: [
        'feature_missing',
        'out_of_scope',
        'bucket_not_found',
        'bucket_not_active',
        'upload_not_found',
      ],
    },
    ({ context, params }) => abandonUpload(context, params),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/storage/buckets/{bucket_id}/abandon-uploads',
      id: 'abandonIdleUploads',
      tag,
      summary: 'Abandon the multipart uploads that have been idle for a day',
      description:
        'A job abandons those that began more than a day ago and of which no part has come since; `abandoning` shows its progress. Calling it again includes what has become idle since.',
      params: bucketInput,
      success: { kind: 'json', status: 200, schema: uploadTotalsSchema },
      errors: ['feature_missing', 'out_of_scope', 'bucket_not_found', 'bucket_not_active'],
    },
    ({ context, params }) => abandonIdleUploads(context, params),
  ),
  organizationRoute(
    {
      method: 'DELETE',
      path: '/api/v1/storage/buckets/{bucket_id}',
      id: 'deleteBucket',
      tag,
      summary: 'Delete a bucket with everything in it',
      description: 'It becomes unreachable immediately; its name is free once its content has been removed.',
      params: bucketInput,
      success: { kind: 'empty' },
      errors: ['feature_missing', 'out_of_scope', 'bucket_not_found'],
      refuses: 'credentials',
    },
    ({ context, params }) => deleteBucket(context, params),
  ),
];

import { newId } from '#server/ids.ts';
import { EXAMPLE_OBJECT, type TenantIds } from './fill-organization.ts';
import {
  administers,
  type Example,
  lists,
  type ProcedureInput,
  type RouteRequest,
  reads,
  writes,
} from './surface-example.ts';

const bucketOf = ({ bucket }: TenantIds) => ({ bucket_id: bucket });
const otherBucketOf = ({ otherBucket }: TenantIds) => ({ bucket_id: otherBucket });
const uploadOf = (ids: TenantIds) => ({ ...bucketOf(ids), upload_id: ids.upload });
const cors = { cors_enabled: true, cors_origins: ['https://example.ca'] };
const question = { origin: 'https://example.ca', method: 'GET' };
const objectOf = (ids: TenantIds) => ({ ...bucketOf(ids), key: EXAMPLE_OBJECT });
const download = { operation: 'get', disposition: 'attachment' };
/** Addresses are only signed for people: everyone else has keys. */
const looks = { ...reads, credential: 'never', operator: 'never' } as const;
/** An unused name: names are unique in the installation, and every caller creates one. */
const newBucket = () => ({ name: `new-${newId()}` });
const creates = { ...administers, isNaming: false };

/** The procedures of object storage, in an order in which each succeeds. */
export const STORAGE_PROCEDURES: Record<string, Example<ProcedureInput>> = {
  'storage.listBuckets': { ...lists, request: () => ({}) },
  'storage.pageBuckets': { ...lists, request: () => ({}) },
  'storage.getBucket': { ...reads, request: bucketOf },
  'storage.checkCors': { ...reads, request: (ids) => ({ ...bucketOf(ids), ...question }) },
  'storage.createBucket': { ...creates, request: newBucket },
  'storage.updateBucket': { ...writes, request: (ids) => ({ ...bucketOf(ids), ...cors }) },
  'storage.emptyBucket': { ...administers, request: otherBucketOf },
  'storage.stopEmptyingBucket': { ...administers, request: otherBucketOf },
  'storage.listObjects': { ...reads, request: bucketOf },
  'storage.getObject': { ...reads, request: objectOf },
  'storage.signObject': { ...looks, request: (ids) => ({ ...objectOf(ids), ...download }) },
  'storage.shareObject': {
    ...looks,
    needs: 'write',
    request: (ids) => ({ ...objectOf(ids), expires_in_seconds: 600 }),
  },
  'storage.deleteObjects': { ...writes, request: (ids) => ({ ...bucketOf(ids), keys: [EXAMPLE_OBJECT] }) },
  'storage.listUploads': { ...reads, request: bucketOf },
  'storage.getUploadTotals': { ...reads, request: bucketOf },
  'storage.abandonUpload': { ...writes, request: uploadOf },
  'storage.abandonIdleUploads': { ...writes, request: bucketOf },
  'storage.deleteBucket': { ...administers, request: otherBucketOf },
};

/** The same routes. */
export const STORAGE_ROUTES: Record<string, Example<RouteRequest>> = {
  listBuckets: { ...lists, request: () => ({}) },
  getBucket: { ...reads, request: (ids) => ({ params: bucketOf(ids) }) },
  checkCors: { ...reads, request: (ids) => ({ params: bucketOf(ids), query: question }) },
  createBucket: { ...creates, request: () => ({ json: newBucket() }) },
  updateBucket: { ...writes, request: (ids) => ({ params: bucketOf(ids), json: cors }) },
  emptyBucket: { ...administers, request: (ids) => ({ params: otherBucketOf(ids) }) },
  stopEmptyingBucket: { ...administers, request: (ids) => ({ params: otherBucketOf(ids) }) },
  listUploads: { ...reads, request: (ids) => ({ params: bucketOf(ids) }) },
  getUploadTotals: { ...reads, request: (ids) => ({ params: bucketOf(ids) }) },
  abandonUpload: { ...writes, request: (ids) => ({ params: uploadOf(ids) }) },
  abandonIdleUploads: { ...writes, request: (ids) => ({ params: bucketOf(ids) }) },
  deleteBucket: { ...administers, request: (ids) => ({ params: otherBucketOf(ids) }) },
};

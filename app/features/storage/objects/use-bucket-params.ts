import { useParams } from '@tanstack/react-router';

/** Returns the parameters that identify the bucket of this page in calls. */
export function useBucketParams(): { organization_id: string; bucket_id: string } {
  const { orgId, bucketId } = useParams({ from: '/$orgId/storage/$bucketId' });
  return { organization_id: orgId, bucket_id: bucketId };
}

import { useParams } from '@tanstack/react-router';

/** Returns what names the bucket of this page in calls. */
export function useBucketParams(): { organization_id: string; bucket_id: string } {
  const { orgId, bucketId } = useParams({ from: '/$orgId/storage/$bucketId' });
  return { organization_id: orgId, bucket_id: bucketId };
}

import type { Bucket } from '#server/services/storage/schema.ts';
import { trpc } from '../../../trpc.ts';

/** How often the list is read while a bucket is being created, emptied or removed and the page is visible. */
export const SETTLING_MS = 2_000;

/** Whether a bucket will change on its own: it is being created, emptied or removed. */
export function isSettling({ status, emptying }: Bucket): boolean {
  return emptying !== null || status === 'pending' || status === 'creating' || status === 'deleting';
}

/** Returns the organization's buckets; they follow what is created and removed meanwhile. */
export function useBuckets(organizationId: string, isEnabled = true) {
  return trpc.storage.listBuckets.useQuery(
    { organization_id: organizationId },
    {
      enabled: isEnabled,
      refetchInterval: ({ state }) => (state.data?.some(isSettling) ? SETTLING_MS : false),
    },
  );
}

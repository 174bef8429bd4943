import { keepPreviousData } from '@tanstack/react-query';
import type { Bucket } from '#server/services/storage/schema.ts';
import { searchedRows } from '../../../components/lists/searched-rows.ts';
import { trpc } from '../../../trpc.ts';

/** How often the list is read while a bucket is being created, emptied or removed and the page is visible. */
export const SETTLING_MS = 2_000;

/** Whether a bucket will change on its own: it is being created, emptied or removed. */
export function isSettling({ status, emptying }: Bucket): boolean {
  return emptying !== null || status === 'pending' || status === 'creating' || status === 'deleting';
}

/**
 * Returns the organization's buckets whose name contains every word of the search, page by page; they follow what is
 * created and removed meanwhile.
 */
export function useBucketPages(organizationId: string, search: string | undefined, isEnabled = true) {
  const pages = trpc.storage.pageBuckets.useInfiniteQuery(
    { organization_id: organizationId, search },
    {
      enabled: isEnabled,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
      placeholderData: keepPreviousData,
      // Every page that has been loaded is read again: each is a request.
      refetchInterval: ({ state: { data } }) =>
        data?.pages.some(({ items }) => items.some(isSettling)) ? SETTLING_MS * data.pages.length : false,
    },
  );
  return { pages, ...searchedRows(pages, search) };
}

import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';

const route = getRouteApi('/$orgId/credentials');

/** How many credentials are read at a time. */
export const CREDENTIALS_AT_ONCE = 25;

/** The credentials that the address asks for, page by page, and whether there are none at all. */
export function useCredentialPages() {
  const { organization } = useOrganization();
  const { search } = route.useSearch();
  const pages = trpc.credentials.page.useInfiniteQuery(
    { organization_id: organization.id, search, limit: CREDENTIALS_AT_ONCE },
    { getNextPageParam: (page) => page.next_cursor ?? undefined, placeholderData: keepPreviousData },
  );
  const rows = pages.data?.pages.flatMap((page) => page.items) ?? [];
  return {
    pages,
    rows,
    search,
    // After a search, its rows stay until those of the whole list are there.
    hasNone: pages.isSuccess && !pages.isPlaceholderData && rows.length === 0 && search === undefined,
  };
}

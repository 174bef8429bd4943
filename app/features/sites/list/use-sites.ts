import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';

const sitesRoute = getRouteApi('/$orgId/sites/');

/** The sites that the address asks for, and whether the organization has none at all. */
export function useSites() {
  const { organization } = useOrganization();
  const { search } = sitesRoute.useSearch();
  const sites = trpc.sites.list.useInfiniteQuery(
    { organization_id: organization.id, search },
    { getNextPageParam: (page) => page.next_cursor ?? undefined, placeholderData: keepPreviousData },
  );
  const rows = sites.data?.pages.flatMap((page) => page.items) ?? [];
  return {
    sites,
    rows,
    search,
    // After a search, its rows stay until those of the whole list are there.
    hasNone: sites.isSuccess && !sites.isPlaceholderData && rows.length === 0 && search === undefined,
  };
}

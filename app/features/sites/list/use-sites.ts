import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { searchedRows } from '../../../components/lists/searched-rows.ts';
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
  return { sites, search, ...searchedRows(sites, search) };
}

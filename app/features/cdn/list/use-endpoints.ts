import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { searchedRows } from '../../../components/lists/searched-rows.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { isSettling } from '../endpoint-status.ts';

const cdnRoute = getRouteApi('/$orgId/cdn/');

/** How often a list is read again while something in it is awaited and the page is visible. */
const SETTLING_MS = 15_000;

/** The endpoints of a site, a page at a time; they follow changes of DNS and certificates. */
export function useEndpointsOfSite(of: { organization_id: string; site_id: string }) {
  const endpoints = trpc.cdn.page.useInfiniteQuery(of, {
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: whileSettling,
  });
  return { endpoints, rows: endpoints.data?.pages.flatMap(({ items }) => items) };
}

/** The endpoints that the address asks for, which follow such changes too, and whether there are none at all. */
export function useEndpointPages() {
  const { organization } = useOrganization();
  const { search } = cdnRoute.useSearch();
  const endpoints = trpc.cdn.page.useInfiniteQuery(
    { organization_id: organization.id, search },
    {
      getNextPageParam: (page) => page.next_cursor ?? undefined,
      placeholderData: keepPreviousData,
      refetchInterval: whileSettling,
    },
  );
  return { endpoints, search, ...searchedRows(endpoints, search) };
}

function whileSettling({ state }: { state: { data?: { pages: { items: Endpoint[] }[] } | undefined } }) {
  return state.data?.pages.some(({ items }) => items.some(isSettling)) ? SETTLING_MS : false;
}

import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { searchedRows } from '../../components/lists/searched-rows.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { CREDENTIALS_AT_ONCE } from './credentials-at-once.ts';

const route = getRouteApi('/$orgId/credentials');

/** The credentials that the address asks for, page by page, and whether there are none at all. */
export function useCredentialPages() {
  const { organization } = useOrganization();
  const { search } = route.useSearch();
  const pages = trpc.credentials.page.useInfiniteQuery(
    { organization_id: organization.id, search, limit: CREDENTIALS_AT_ONCE },
    { getNextPageParam: (page) => page.next_cursor ?? undefined, placeholderData: keepPreviousData },
  );
  return { pages, search, ...searchedRows(pages, search) };
}

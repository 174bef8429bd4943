import { createFileRoute } from '@tanstack/react-router';
import { SitesPage } from '../../../features/sites/sites-page.tsx';
import { SitesPageSkeleton } from '../../../features/sites/sites-page-skeleton.tsx';
import { pageTitle } from '../../../i18n/page-title.ts';
import { flagParam, readSearch, textParam } from '../../../search-params.ts';

const validSearch = readSearch({ create: flagParam, search: textParam });

export const Route = createFileRoute('/$orgId/sites/')({
  validateSearch: validSearch,
  // Not a dependency of the loader: typing in the search field searches inside the page, which stays as it
  // is.
  loader: ({ context, params, location }) =>
    context.trpc.sites.list.prefetchInfinite({
      organization_id: params.orgId,
      search: validSearch(location.search).search,
    }),
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'sites') }] }),
  pendingComponent: SitesPageSkeleton,
  component: SitesPage,
});

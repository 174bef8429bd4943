import { createFileRoute } from '@tanstack/react-router';
import { SitesPage } from '../../../features/sites/list/sites-page.tsx';
import { SitesPageSkeleton } from '../../../features/sites/list/sites-page-skeleton.tsx';
import { pageTitle } from '../../../i18n/page-title.ts';
import { flagParam, readSearch, textParam } from '../../../search-params.ts';

const validSearch = readSearch({ create: flagParam, search: textParam });

export const Route = createFileRoute('/$orgId/sites/')({
  validateSearch: validSearch,
  // Not a dependency of the loader: typing in the search field searches inside the page, which stays as it
  // is.
  loader: async ({ context: { trpc }, params, location }) => {
    const ofOrganization = { organization_id: params.orgId };
    const { search } = validSearch(location.search);
    await Promise.all([
      trpc.sites.list.prefetchInfinite({ ...ofOrganization, search }),
      trpc.organizations.limits.prefetch(ofOrganization),
    ]);
  },
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'sites') }] }),
  pendingComponent: SitesPageSkeleton,
  component: SitesPage,
});

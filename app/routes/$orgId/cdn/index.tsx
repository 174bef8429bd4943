import { createFileRoute } from '@tanstack/react-router';
import { EndpointsPage } from '../../../features/cdn/list/endpoints-page.tsx';
import { EndpointsSkeleton } from '../../../features/cdn/list/endpoints-skeleton.tsx';
import { pageTitle } from '../../../i18n/page-title.ts';
import { flagParam, readSearch, textParam } from '../../../search-params.ts';

const validSearch = readSearch({ create: flagParam, site: textParam, search: textParam });

export const Route = createFileRoute('/$orgId/cdn/')({
  validateSearch: validSearch,
  // Not a dependency of the loader, as in the list of sites: typing searches inside the page.
  loader: async ({ context: { trpc }, params, location }) => {
    const ofOrganization = { organization_id: params.orgId };
    const { search } = validSearch(location.search);
    await Promise.all([
      trpc.cdn.page.prefetchInfinite({ ...ofOrganization, search }),
      trpc.organizations.limits.prefetch(ofOrganization),
    ]);
  },
  pendingComponent: EndpointsSkeleton,
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'cdn') }] }),
  component: EndpointsPage,
});

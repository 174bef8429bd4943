import { createFileRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { SitesPage } from '../../../features/sites/sites-page.tsx';
import { SitesPageSkeleton } from '../../../features/sites/sites-page-skeleton.tsx';
import { pageTitle } from '../../../i18n/page-title.ts';

const sitesSearch = z.object({
  create: z.boolean().optional().catch(undefined),
  search: z.string().max(100).optional().catch(undefined),
});

export const Route = createFileRoute('/$orgId/sites/')({
  validateSearch: sitesSearch,
  // Not a dependency of the loader: typing in the search field asks again inside the page, which stays as it is.
  loader: ({ context, params, location }) =>
    context.trpc.sites.list.prefetchInfinite({
      organization_id: params.orgId,
      search: sitesSearch.parse(location.search).search,
    }),
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'sites') }] }),
  pendingComponent: SitesPageSkeleton,
  component: SitesPage,
});

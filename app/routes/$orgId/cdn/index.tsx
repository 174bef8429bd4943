import { createFileRoute } from '@tanstack/react-router';
import { EndpointsPage } from '../../../features/cdn/list/endpoints-page.tsx';
import { EndpointsSkeleton } from '../../../features/cdn/list/endpoints-skeleton.tsx';
import { pageTitle } from '../../../i18n/page-title.ts';
import { flagParam, readSearch, textParam } from '../../../search-params.ts';

const validSearch = readSearch({ create: flagParam, site: textParam, search: textParam });

export const Route = createFileRoute('/$orgId/cdn/')({
  validateSearch: validSearch,
  loader: async ({ context: { trpc }, params }) => {
    const ofOrganization = { organization_id: params.orgId };
    await Promise.all([
      trpc.cdn.list.prefetch(ofOrganization),
      trpc.organizations.limits.prefetch(ofOrganization),
    ]);
  },
  pendingComponent: EndpointsSkeleton,
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'cdn') }] }),
  component: EndpointsPage,
});

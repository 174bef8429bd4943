import { createFileRoute } from '@tanstack/react-router';
import { topFilesInput } from '../../features/usage/files/top-files-input.ts';
import { UsagePage } from '../../features/usage/page/usage-page.tsx';
import { UsagePageSkeleton } from '../../features/usage/page/usage-page-skeleton.tsx';
import { rangeOfSearch, usageSearch } from '../../features/usage/period-search.ts';
import { needsAll, overviewInput } from '../../features/usage/usage-range.ts';
import { pageTitle } from '../../i18n/page-title.ts';

export const Route = createFileRoute('/$orgId/usage')({
  validateSearch: usageSearch,
  // Not a dependency of the loader: another period is loaded inside the page, whose numbers stay until then.
  loader: async ({ context: { trpc }, params, location }) => {
    const search = usageSearch(location.search);
    const range = rangeOfSearch(search, params.orgId);
    const { organization_id, site_id, cdn_endpoint_id: endpoint_id } = range;
    await Promise.all([
      trpc.usage.overview.prefetch(overviewInput(range, needsAll(search))),
      trpc.usage.paths.prefetch(topFilesInput(range)),
      site_id && trpc.sites.get.prefetch({ organization_id, site_id }),
      endpoint_id && trpc.cdn.get.prefetch({ organization_id, endpoint_id }),
    ]);
  },
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'usage') }] }),
  pendingComponent: UsagePageSkeleton,
  component: UsagePage,
});

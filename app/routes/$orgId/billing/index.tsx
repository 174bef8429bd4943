import { createFileRoute } from '@tanstack/react-router';
import { BillingPage } from '../../../features/billing/billing-page.tsx';
import { BillingPageSkeleton } from '../../../features/billing/billing-page-skeleton.tsx';
import { prefetchBilling } from '../../../features/billing/prefetch-billing.ts';
import { billingSearch, rangeOfSearch } from '../../../features/usage/period-search.ts';
import { needsAll, overviewInput } from '../../../features/usage/usage-range.ts';
import { pageTitle } from '../../../i18n/page-title.ts';

export const Route = createFileRoute('/$orgId/billing/')({
  validateSearch: billingSearch,
  // Not a dependency of the loader: another period is loaded inside the page, whose numbers stay until then.
  loader: async ({ context, params, location }) => {
    const search = billingSearch(location.search);
    const range = rangeOfSearch(search, params.orgId);
    await Promise.all([
      context.trpc.usage.overview.prefetch(overviewInput(range, needsAll(search))),
      prefetchBilling(context, params.orgId),
    ]);
  },
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'billing') }] }),
  pendingComponent: BillingPageSkeleton,
  component: BillingPage,
});

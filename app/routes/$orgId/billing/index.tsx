import { createFileRoute } from '@tanstack/react-router';
import { BillingPage } from '../../../features/billing/billing-page.tsx';
import { BillingPageSkeleton } from '../../../features/billing/billing-page-skeleton.tsx';
import { billingSearch, rangeOfSearch } from '../../../features/usage/period-search.ts';
import { pageTitle } from '../../../i18n/page-title.ts';

export const Route = createFileRoute('/$orgId/billing/')({
  validateSearch: billingSearch,
  // Not a dependency of the loader: another period is asked for inside the page, whose figures stay until it is there.
  loader: ({ context, params, location }) =>
    context.trpc.usage.overview.prefetch(rangeOfSearch(billingSearch(location.search), params.orgId)),
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'billing') }] }),
  pendingComponent: BillingPageSkeleton,
  component: BillingPage,
});

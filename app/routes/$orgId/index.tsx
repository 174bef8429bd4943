import { createFileRoute } from '@tanstack/react-router';
import { Dashboard } from '../../features/dashboard/dashboard.tsx';
import { DashboardSkeleton } from '../../features/dashboard/dashboard-skeleton.tsx';

import { recentDeploysInput } from '../../features/dashboard/recent-deploys-input.ts';
import { prefetchMonthUsage } from '../../features/usage/month/prefetch-month-usage.ts';

import { pageTitle } from '../../i18n/page-title.ts';

export const Route = createFileRoute('/$orgId/')({
  loader: async ({ context, params }) => {
    const [usageAsked] = await Promise.all([
      prefetchMonthUsage(context.trpc, { organization_id: params.orgId }),
      context.trpc.deployments.recent.prefetch(recentDeploysInput(params.orgId)),
      context.trpc.sites.counts.prefetch({ organization_id: params.orgId }),
      context.settings.billingMode !== 'off' &&
        context.trpc.billing.cost.prefetch({ organization_id: params.orgId }),
    ]);
    return { usageAsked };
  },
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'dashboard') }] }),
  pendingComponent: DashboardSkeleton,
  component: Dashboard,
});

import { createFileRoute } from '@tanstack/react-router';
import { Dashboard } from '../../features/dashboard/dashboard.tsx';
import { DashboardSkeleton } from '../../features/dashboard/dashboard-skeleton.tsx';
import { recentSitesInput } from '../../features/dashboard/recent-sites-input.ts';
import { pageTitle } from '../../i18n/page-title.ts';

export const Route = createFileRoute('/$orgId/')({
  loader: ({ context, params }) => context.trpc.sites.list.prefetch(recentSitesInput(params.orgId)),
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'dashboard') }] }),
  pendingComponent: DashboardSkeleton,
  component: Dashboard,
});

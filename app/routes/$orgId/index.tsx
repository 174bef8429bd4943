import { createFileRoute } from '@tanstack/react-router';
import { Dashboard } from '../../features/dashboard/dashboard.tsx';
import { pageTitle } from '../../i18n/page-title.ts';

export const Route = createFileRoute('/$orgId/')({
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'dashboard') }] }),
  component: Dashboard,
});

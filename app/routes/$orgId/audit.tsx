import { createFileRoute } from '@tanstack/react-router';
import { AuditPage } from '../../features/audit/audit-page.tsx';
import { auditSearch, filterOf } from '../../features/audit/audit-search.ts';
import { AuditSkeleton } from '../../features/audit/audit-skeleton.tsx';
import { pageTitle } from '../../i18n/page-title.ts';

export const Route = createFileRoute('/$orgId/audit')({
  validateSearch: auditSearch,
  // Not a dependency of the loader: other filters are loaded inside the page, whose events stay until then.
  loader: ({ context, params, location }) =>
    context.trpc.audit.list.prefetchInfinite({
      organization_id: params.orgId,
      ...filterOf(auditSearch(location.search)),
    }),
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'audit') }] }),
  pendingComponent: AuditSkeleton,
  component: AuditPage,
});

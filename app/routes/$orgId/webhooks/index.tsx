import { createFileRoute } from '@tanstack/react-router';
import { WebhooksPage } from '../../../features/webhooks/webhooks-page.tsx';
import { WebhooksSkeleton } from '../../../features/webhooks/webhooks-skeleton.tsx';
import { pageTitle } from '../../../i18n/page-title.ts';
import { flagParam, readSearch } from '../../../search-params.ts';

const validSearch = readSearch({ create: flagParam });

export const Route = createFileRoute('/$orgId/webhooks/')({
  validateSearch: validSearch,
  loader: ({ context, params }) => context.trpc.webhooks.list.prefetch({ organization_id: params.orgId }),
  pendingComponent: WebhooksSkeleton,
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'webhooks') }] }),
  component: WebhooksPage,
});

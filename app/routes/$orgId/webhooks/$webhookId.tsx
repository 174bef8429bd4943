import { createFileRoute, notFound } from '@tanstack/react-router';
import { WebhookNotFound } from '../../../features/webhooks/webhook-not-found.tsx';
import { WebhookPage } from '../../../features/webhooks/webhook-page.tsx';
import { WebhookPageSkeleton } from '../../../features/webhooks/webhook-page-skeleton.tsx';
import { isAbsent } from '../../../i18n/errors/read-error.ts';
import { pageTitle } from '../../../i18n/page-title.ts';
import { flagParam, readSearch, textParam } from '../../../search-params.ts';

const validSearch = readSearch({ edit: flagParam, log: textParam });

export const Route = createFileRoute('/$orgId/webhooks/$webhookId')({
  validateSearch: validSearch,
  loader: async ({ context, params }) => {
    const ofWebhook = { organization_id: params.orgId, webhook_id: params.webhookId };
    const webhook = await context.trpc.webhooks.get.ensureData(ofWebhook).catch((error: unknown) => {
      throw isAbsent(error) ? notFound() : error;
    });
    return { text: webhook.description || new URL(webhook.url).host };
  },
  head: ({ match, loaderData }) => ({
    meta: [{ title: pageTitle(match.context, loaderData ?? 'webhooks') }],
  }),
  pendingComponent: WebhookPageSkeleton,
  notFoundComponent: WebhookNotFound,
  component: WebhookPage,
});

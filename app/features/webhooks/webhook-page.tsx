import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Webhook } from '#server/services/webhooks/schema.ts';
import { ReasonedAction } from '../../components/hints/reasoned-action.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { RemovalMenu } from '../../components/menus/removal-menu.tsx';
import { Breadcrumbs } from '../../components/page/breadcrumbs.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { isNotFound } from '../../i18n/errors/read-error.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { usePermissionReason } from '../organizations/use-permission-reason.ts';
import { DeliveryCard } from './delivery-card.tsx';
import { MessageList } from './message-list.tsx';
import { SecretBanner } from './secret-banner.tsx';
import { useShownSecret } from './use-shown-secret.ts';
import { useWebhookActions } from './use-webhook-actions.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { WebhookNotFound } from './webhook-not-found.tsx';
import { WebhookPageSkeleton } from './webhook-page-skeleton.tsx';
import { WebhookWarning } from './webhook-warning.tsx';

const route = getRouteApi('/$orgId/webhooks/$webhookId');

/** A webhook: its address, its events, and the result of each delivery. */
export function WebhookPage() {
  const { webhookId } = route.useParams();
  const { organization } = useOrganization();
  const webhook = trpc.webhooks.get.useQuery(
    { organization_id: organization.id, webhook_id: webhookId },
    { refetchInterval: 10_000 },
  );
  // Deleted by a colleague, or in another window.
  if (isNotFound(webhook.error)) return <WebhookNotFound />;
  // The loader has it, or the page is not shown.
  return webhook.data ? <KnownWebhook webhook={webhook.data} /> : <WebhookPageSkeleton />;
}

function KnownWebhook({ webhook }: { webhook: Webhook }) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const reason = usePermissionReason()('webhook.manage');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { secret, show, markCopied, dismiss } = useShownSecret();
  const actions = useWebhookActions(webhook, show);
  const edit = () => void navigate({ search: (shown) => ({ ...shown, edit: true }), resetScroll: false });
  const closeDialog = () =>
    void navigate({
      search: (shown) => ({ ...shown, edit: undefined }),
      replace: true,
      resetScroll: false,
    });
  const isPaused = webhook.status === 'paused';
  return (
    <>
      <Breadcrumbs current={webhook.description || new URL(webhook.url).host}>
        <AnchorLink to="/$orgId/webhooks" params={{ orgId: organization.id }} activeOptions={{ exact: true }}>
          <Trans>Webhooks</Trans>
        </AnchorLink>
      </Breadcrumbs>
      <PageHeader
        title={webhook.description || new URL(webhook.url).host}
        subtitle={<span style={{ overflowWrap: 'anywhere' }}>{webhook.url}</span>}
        actions={
          <>
            <ReasonedAction
              reason={reason ?? (isPaused ? t`The webhook is paused. Resume it first.` : null)}
              onAct={() => void actions.sendTest()}
            >
              {(action) => (
                <Button loading={actions.isSendingTest} {...action}>
                  <Trans>Send test event</Trans>
                </Button>
              )}
            </ReasonedAction>
            <RemovalMenu reason={reason} onRemove={() => void actions.askToDelete()}>
              <Trans>Delete webhook</Trans>
            </RemovalMenu>
          </>
        }
      />
      <Stack gap="lg">
        {secret && <SecretBanner secret={secret} onCopied={markCopied} onDismiss={() => void dismiss()} />}
        <WebhookWarning webhook={webhook} />
        <DeliveryCard webhook={webhook} reason={reason} actions={actions} onEdit={edit} />
        <MessageList
          webhookId={webhook.id}
          shown={search.log}
          onShow={(log) =>
            void navigate({ search: (shown) => ({ ...shown, log }), replace: true, resetScroll: false })
          }
          onRedeliver={reason === null && !isPaused ? actions.redeliver : null}
        />
      </Stack>
      <WebhookDialog
        isOpen={search.edit === true && reason === null}
        webhook={webhook}
        onSend={async (given) => {
          await actions.change(given);
          closeDialog();
        }}
        onClose={closeDialog}
      />
    </>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { formatDate } from '#server/services/shared/date-rules.ts';
import type { Webhook } from '#server/services/webhooks/schema.ts';
import { Breadcrumbs } from '../../components/breadcrumbs.tsx';
import { Facts } from '../../components/facts.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { RemovalMenu } from '../../components/removal-menu.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { isNotFound } from '../../i18n/read-error.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { usePermissionReason } from '../organizations/use-permission-reason.ts';
import { MessageList } from './message-list.tsx';
import { SecretBanner } from './secret-banner.tsx';
import { useShownSecret } from './use-shown-secret.ts';
import { useWebhookActions } from './use-webhook-actions.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { WebhookNotFound } from './webhook-not-found.tsx';
import { WebhookStatus } from './webhook-status.tsx';
import { WebhooksSkeleton } from './webhooks-skeleton.tsx';

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
  return webhook.data ? <KnownWebhook webhook={webhook.data} /> : <WebhooksSkeleton />;
}

function KnownWebhook({ webhook }: { webhook: Webhook }) {
  const { t, i18n } = useLingui();
  const { organization } = useOrganization();
  const reason = usePermissionReason()('webhook.manage');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { secret, show, markCopied, dismiss } = useShownSecret();
  const actions = useWebhookActions(webhook, show);
  const closeDialog = () =>
    void navigate({ search: (shown) => ({ ...shown, edit: undefined }), replace: true });
  const isPaused = webhook.status === 'paused';
  const { former_secret_until } = webhook;
  const formerUntil = former_secret_until && exactTime(former_secret_until, i18n.locale);
  return (
    <Stack gap="lg">
      <div>
        <Breadcrumbs current={webhook.description || new URL(webhook.url).host}>
          <AnchorLink to="/$orgId/webhooks" params={{ orgId: organization.id }}>
            <Trans>Webhooks</Trans>
          </AnchorLink>
        </Breadcrumbs>
        <PageHeader
          title={webhook.description || new URL(webhook.url).host}
          subtitle={<span style={{ overflowWrap: 'anywhere' }}>{webhook.url}</span>}
          actions={
            <>
              <Button
                disabled={reason !== null || isPaused}
                loading={actions.isSendingTest}
                onClick={() => void actions.sendTest()}
              >
                <Trans>Send test event</Trans>
              </Button>
              <RemovalMenu reason={reason} onRemove={() => void actions.askToDelete()}>
                <Trans>Delete webhook</Trans>
              </RemovalMenu>
            </>
          }
        />
      </div>
      {secret && <SecretBanner secret={secret} onCopied={markCopied} onDismiss={() => void dismiss()} />}
      <WebhookWarning webhook={webhook} />
      <SectionCard
        title={<Trans>Delivery</Trans>}
        action={
          <Group gap="xs">
            <Button
              variant="default"
              size="xs"
              disabled={reason !== null}
              onClick={() => void navigate({ search: (shown) => ({ ...shown, edit: true }) })}
            >
              <Trans>Edit</Trans>
            </Button>
            <Button
              variant="default"
              size="xs"
              disabled={reason !== null}
              loading={actions.isPausing}
              onClick={() => void actions.setPaused(!isPaused)}
            >
              {isPaused ? <Trans>Resume</Trans> : <Trans>Pause</Trans>}
            </Button>
          </Group>
        }
      >
        <Stack gap="md">
          <Facts
            facts={[
              { name: t`Status`, value: <WebhookStatus webhook={webhook} /> },
              {
                name: t`Last delivered`,
                value: webhook.last_delivered_at ? <TimeAgo instant={webhook.last_delivered_at} /> : t`Never`,
              },
              { name: t`Created`, value: <TimeAgo instant={webhook.created_at} /> },
            ]}
          />
          <div>
            <Text size="xs" c="dimmed">
              <Trans>Events</Trans>
            </Text>
            <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {webhook.events.join(', ')}
            </Text>
          </div>
          <Group gap="sm">
            <Button
              variant="default"
              size="xs"
              disabled={reason !== null}
              onClick={() => void actions.replaceSecret()}
            >
              <Trans>Replace secret</Trans>
            </Button>
            {formerUntil && (
              <Text size="sm" c="dimmed">
                <Trans>The previous secret also signs until {formerUntil} UTC.</Trans>
              </Text>
            )}
          </Group>
        </Stack>
      </SectionCard>
      <MessageList
        webhookId={webhook.id}
        shown={search.log}
        onShow={(log) =>
          void navigate({ search: (shown) => ({ ...shown, log }), replace: true, resetScroll: false })
        }
        onRedeliver={reason === null && !isPaused ? actions.redeliver : null}
      />
      <WebhookDialog
        isOpen={search.edit === true && reason === null}
        webhook={webhook}
        onSend={async (given) => {
          await actions.change(given);
          closeDialog();
        }}
        onClose={closeDialog}
      />
    </Stack>
  );
}

/** "Since" and "until" need a date: "since 5 minutes ago" is no sentence. */
function exactTime(instant: string, locale: string): string {
  return formatDate(instant, locale, { dateStyle: 'long', timeStyle: 'short' });
}

/** What prevents events from arriving, and what to do about it. */
function WebhookWarning({ webhook }: { webhook: Webhook }) {
  const { i18n } = useLingui();
  const { status, pause_reason, failing_since, not_kept } = webhook;
  const failingSince = failing_since && exactTime(failing_since, i18n.locale);
  const isStopped = status === 'paused' && pause_reason !== 'person';
  if (!isStopped && failing_since === null && not_kept === 0) return null;
  return (
    <Alert
      role="status"
      color={isStopped ? 'red' : 'yellow'}
      icon={<IconAlertTriangle size={18} />}
      title={isStopped ? <Trans>Deliveries have stopped</Trans> : <Trans>Some deliveries fail</Trans>}
    >
      {status === 'paused' && pause_reason === 'gone' && (
        <Text size="sm">
          <Trans>
            The receiver answered that it no longer exists (410). Change the address, then resume.
          </Trans>
        </Text>
      )}
      {status === 'paused' && pause_reason === 'failing' && (
        <Text size="sm">
          <Trans>
            Nothing has arrived for three days, so the webhook was paused. Resume it once the receiver works.
          </Trans>
        </Text>
      )}
      {status === 'active' && failing_since !== null && (
        <Text size="sm">
          <Trans>
            Deliveries have failed since {failingSince} UTC. Each one is retried for about a day; after three
            days without a successful delivery, the webhook is paused.
          </Trans>
        </Text>
      )}
      {not_kept > 0 && (
        <Text size="sm">
          <Trans>Too many events were waiting, so {not_kept} were not kept.</Trans>
        </Text>
      )}
    </Alert>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import type { Webhook } from '#server/services/webhooks/schema.ts';
import { TimeAgo } from '../../components/dates/time-ago.tsx';
import { Facts } from '../../components/facts.tsx';
import { ReasonedAction } from '../../components/hints/reasoned-action.tsx';
import { SectionCard } from '../../components/page/section-card.tsx';
import { exactTime } from './exact-time.ts';
import type { useWebhookActions } from './use-webhook-actions.tsx';
import { WebhookStatus } from './webhook-status.tsx';

/** How and what a webhook delivers; with a reason, nothing of it can be changed. */
export function DeliveryCard(props: {
  webhook: Webhook;
  reason: string | null;
  actions: ReturnType<typeof useWebhookActions>;
  onEdit: () => void;
}) {
  const { webhook, reason, actions, onEdit } = props;
  const { t, i18n } = useLingui();
  const isPaused = webhook.status === 'paused';
  const { former_secret_until } = webhook;
  const formerUntil = former_secret_until && exactTime(former_secret_until, i18n.locale);
  return (
    <SectionCard
      title={<Trans>Delivery</Trans>}
      action={
        <Group gap="xs">
          <ReasonedAction reason={reason} onAct={onEdit}>
            {(action) => (
              <Button variant="default" size="xs" {...action}>
                <Trans>Edit</Trans>
              </Button>
            )}
          </ReasonedAction>
          <ReasonedAction reason={reason} onAct={() => void actions.setPaused(!isPaused)}>
            {(action) => (
              <Button variant="default" size="xs" loading={actions.isPausing} {...action}>
                {isPaused ? <Trans>Resume</Trans> : <Trans>Pause</Trans>}
              </Button>
            )}
          </ReasonedAction>
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
          <ReasonedAction reason={reason} onAct={() => void actions.replaceSecret()}>
            {(action) => (
              <Button variant="default" size="xs" {...action}>
                <Trans>Replace secret</Trans>
              </Button>
            )}
          </ReasonedAction>
          {formerUntil && (
            <Text size="sm" c="dimmed">
              <Trans>The previous secret also signs until {formerUntil} UTC.</Trans>
            </Text>
          )}
        </Group>
      </Stack>
    </SectionCard>
  );
}

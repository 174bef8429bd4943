import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import type { Webhook } from '#server/services/webhooks/schema.ts';
import { TimeAgo } from '../../components/dates/time-ago.tsx';
import { Facts } from '../../components/facts.tsx';
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
          <Button variant="default" size="xs" disabled={reason !== null} onClick={onEdit}>
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
  );
}

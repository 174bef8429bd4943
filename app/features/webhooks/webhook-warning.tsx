import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Webhook } from '#server/services/webhooks/schema.ts';
import { exactTime } from './exact-time.ts';

/** What prevents events from arriving, and what to do about it. */
export function WebhookWarning({ webhook }: { webhook: Webhook }) {
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
          <Plural
            value={not_kept}
            one="Too many events were waiting, so # was not kept."
            other="Too many events were waiting, so # were not kept."
          />
        </Text>
      )}
    </Alert>
  );
}

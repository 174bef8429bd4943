import { Trans } from '@lingui/react/macro';
import type { Webhook } from '#server/services/webhooks/schema.ts';
import { RowBadge } from '../../components/lists/row-badge.tsx';

/** Whether a webhook is active, and whether deliveries succeed. */
export function WebhookStatus({ webhook }: { webhook: Webhook }) {
  if (webhook.status === 'paused') {
    return (
      <RowBadge colour={webhook.pause_reason === 'person' ? 'gray' : 'red'}>
        <Trans>Paused</Trans>
      </RowBadge>
    );
  }
  if (webhook.failing_since !== null) {
    return (
      <RowBadge colour="yellow">
        <Trans>Failing</Trans>
      </RowBadge>
    );
  }
  return (
    <RowBadge colour="green">
      <Trans>Active</Trans>
    </RowBadge>
  );
}

import { useLingui } from '@lingui/react/macro';
import { Modal } from '@mantine/core';
import type { Webhook } from '#server/services/webhooks/schema.ts';
import { type GivenWebhook, WebhookForm } from './webhook-form.tsx';

/** The dialog around the form; each opening begins with the current values. */
export function WebhookDialog(props: {
  isOpen: boolean;
  webhook?: Webhook;
  onSend: (given: GivenWebhook) => Promise<void>;
  onClose: () => void;
}) {
  const { isOpen, webhook, onSend, onClose } = props;
  const { t } = useLingui();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={webhook ? t`Edit webhook` : t`Create webhook`}
      size="lg"
      closeButtonProps={{ 'aria-label': t`Close` }}
    >
      <WebhookForm webhook={webhook} onSend={onSend} onCancel={onClose} />
    </Modal>
  );
}

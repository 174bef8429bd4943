import { Trans, useLingui } from '@lingui/react/macro';
import { useNavigate } from '@tanstack/react-router';
import type { Webhook, WebhookMessage } from '#server/services/webhooks/schema.ts';
import { askConfirmation } from '../../components/dialogs/confirm-host.tsx';
import { notifyFailure, notifySuccess } from '../../components/notifications/notify.ts';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';

/** Returns the actions of a webhook; each reports its result. */
export function useWebhookActions(webhook: Webhook, onSecret: (secret: string) => void) {
  const { t } = useLingui();
  const describe = useErrorMessage();
  const navigate = useNavigate();
  const { organization } = useOrganization();
  const utils = trpc.useUtils();
  const ofOrganization = { organization_id: organization.id };
  const ofWebhook = { ...ofOrganization, webhook_id: webhook.id };
  const sendTest = trpc.webhooks.test.useMutation();
  const redeliver = trpc.webhooks.redeliver.useMutation();
  const update = trpc.webhooks.update.useMutation();
  const rotate = trpc.webhooks.rotateSecret.useMutation();
  const remove = trpc.webhooks.delete.useMutation();
  const refresh = () =>
    Promise.all([
      utils.webhooks.get.invalidate(ofWebhook),
      utils.webhooks.list.invalidate(ofOrganization),
      utils.webhooks.messages.invalidate(ofWebhook),
    ]);
  const attempt = async (act: () => Promise<unknown>, done: string) => {
    try {
      await act();
      notifySuccess(done);
    } catch (error) {
      notifyFailure(describe(error));
    }
    await refresh();
  };
  return {
    isSendingTest: sendTest.isPending,
    isPausing: update.isPending,
    sendTest: () => attempt(() => sendTest.mutateAsync(ofWebhook), t`The test event is on its way`),
    redeliver: ({ id }: WebhookMessage) =>
      attempt(
        () => redeliver.mutateAsync({ ...ofWebhook, message_id: id }),
        t`The event is on its way again`,
      ),
    setPaused: (isPaused: boolean) =>
      attempt(
        () => update.mutateAsync({ ...ofWebhook, is_paused: isPaused }),
        isPaused ? t`The webhook is paused` : t`The webhook was resumed`,
      ),
    change: async (given: { url: string; description: string; events: Webhook['events'] }) => {
      await update.mutateAsync({ ...ofWebhook, ...given });
      await refresh();
    },
    replaceSecret: async () => {
      const isSure = await askConfirmation({
        title: t`Replace the signing secret?`,
        body: (
          <Trans>
            For 24 hours, events are signed with both the new secret and the previous one, so that you have
            time to update your receiver.
          </Trans>
        ),
        confirm: t`Replace secret`,
      });
      if (!isSure) return;
      try {
        const made = await rotate.mutateAsync(ofWebhook);
        onSecret(made.secret);
      } catch (error) {
        notifyFailure(describe(error));
      }
      await refresh();
    },
    askToDelete: async () => {
      const isSure = await askConfirmation({
        title: t`Delete this webhook?`,
        body: <Trans>Waiting events are not delivered, and its log is deleted. This cannot be undone.</Trans>,
        confirm: t`Delete webhook`,
        isDestructive: true,
      });
      if (!isSure) return;
      try {
        await remove.mutateAsync(ofWebhook);
      } catch (error) {
        notifyFailure(describe(error));
        return;
      }
      await navigate({ to: '/$orgId/webhooks', params: { orgId: organization.id } });
      await utils.webhooks.list.invalidate(ofOrganization);
      notifySuccess(t`The webhook was deleted`);
    },
  };
}

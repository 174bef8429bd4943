import { Trans, useLingui } from '@lingui/react/macro';
import type { SpendingLimit } from '#server/services/billing/spending/schema.ts';
import { askConfirmation } from '../../../components/dialogs/confirm-host.tsx';
import { notifyFailure } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';

/** Returns a function that removes a limit after asking, and reports the result. */
export function useRemoveLimit() {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const ofOrganization = { organization_id: organization.id };
  const utils = trpc.useUtils();
  const describe = useErrorMessage();
  const remove = trpc.billing.removeLimit.useMutation();
  const askToRemove = async (limit: SpendingLimit, name: string) => {
    const isSure = await askConfirmation({
      title:
        limit.scope === 'organization'
          ? t`Remove the limit of the whole organization?`
          : t`Remove the limit of ${name}?`,
      body: limit.is_stopped ? (
        <Trans>Serving resumes immediately, and usage from then on is billed.</Trans>
      ) : (
        <Trans>From then on, all usage is billed.</Trans>
      ),
      confirm: t`Remove limit`,
      isDestructive: true,
    });
    if (!isSure) return;
    try {
      await remove.mutateAsync({ ...ofOrganization, limit_id: limit.id });
    } catch (error) {
      const message = describe(error);
      notifyFailure(t`The limit was not removed: ${message}`);
    }
    await utils.billing.limits.invalidate(ofOrganization);
    void utils.billing.cost.invalidate(ofOrganization);
  };
  return { askToRemove, isRemoving: remove.isPending };
}

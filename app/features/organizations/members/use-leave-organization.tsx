import { Trans, useLingui } from '@lingui/react/macro';
import type { Membership } from '#server/services/organizations/schema.ts';
import { askConfirmation } from '../../../components/dialogs/confirm-host.tsx';
import { notifyFailure, notifySuccess } from '../../../components/notifications/notify.ts';
import { FORESEEN_MESSAGES } from '../../../i18n/errors/foreseen-messages.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useExitOrganization } from '../use-exit-organization.ts';

/** Returns a function that ends one's own membership after asking, and why that is not possible. */
export function useLeaveOrganization({ organization }: Membership) {
  const { i18n, t } = useLingui();
  const describe = useErrorMessage();
  const exit = useExitOrganization();
  const leave = trpc.organizations.leave.useMutation();
  const { id, name } = organization;
  return {
    isLeaving: leave.isPending,
    reasonNot: (isLastOwner: boolean) => (isLastOwner ? i18n._(FORESEEN_MESSAGES.last_owner) : null),
    askToLeave: async () => {
      const isSure = await askConfirmation({
        title: t`Leave ${name}?`,
        body: (
          <Trans>
            You immediately lose access to everything in <strong>{name}</strong>. To come back, you need a new
            invitation.
          </Trans>
        ),
        confirm: t`Leave organization`,
        isDestructive: true,
      });
      if (!isSure) return;
      try {
        await leave.mutateAsync({ organization_id: id });
      } catch (error) {
        notifyFailure(describe(error));
        return;
      }
      await exit();
      notifySuccess(t`You have left ${name}`);
    },
  };
}

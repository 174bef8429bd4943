import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { askConfirmation } from '../../components/dialogs/confirm-host.tsx';
import { notifyFailure, notifySuccess } from '../../components/notifications/notify.ts';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { trpc } from '../../trpc.ts';

const CONFIRMATION = msg({
  id: 'credentials.deleteConfirmation',
  message: 'Are you sure you want to delete this credential?',
});
const DELETE_FAILED = msg({
  id: 'credentials.errors.deleteFailed',
  message: 'Failed to delete credential: {reason}',
});

/** Returns a function that deletes a credential after asking, and reports the result. */
export function useDeleteCredential(organizationId: string) {
  const { t, i18n } = useLingui();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const remove = trpc.credentials.delete.useMutation();
  const askToDelete = async (credential: { id: string; name: string }) => {
    const { name } = credential;
    const isSure = await askConfirmation({
      title: t({ context: 'credential', message: `Delete ${name}?` }),
      body: (
        <>
          {i18n._(CONFIRMATION)}{' '}
          <Trans>Anything that uses the credential {name} will be refused. This cannot be undone.</Trans>
        </>
      ),
      confirm: t`Delete credential`,
      isDestructive: true,
    });
    if (!isSure) return;
    try {
      await remove.mutateAsync({ organization_id: organizationId, credential_id: credential.id });
    } catch (error) {
      notifyFailure(i18n._({ ...DELETE_FAILED, values: { reason: describe(error) } }));
      return;
    }
    await utils.credentials.invalidate();
    notifySuccess(t`The credential ${name} was deleted`);
  };
  return { askToDelete, isDeleting: remove.isPending };
}

import { Trans, useLingui } from '@lingui/react/macro';
import { Modal, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { DialogActions } from '../../../components/dialogs/dialog-actions.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { TypedName } from '../../../components/forms/typed-name.tsx';
import { notifySuccess } from '../../../components/notifications/notify.ts';
import { readError } from '../../../i18n/errors/read-error.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useExitOrganization } from '../use-exit-organization.ts';

/** Asks for the handle before an organization is deleted for good. */
export default function DeleteOrganizationDialog(props: {
  organization: { id: string; name: string; handle: string };
  onClosed: () => void;
}) {
  const { t } = useLingui();
  const { id, name, handle } = props.organization;
  const describe = useErrorMessage();
  const exit = useExitOrganization();
  const remove = trpc.organizations.delete.useMutation();
  const billing = trpc.billing.status.useQuery({ organization_id: id });
  const [isOpen, setOpen] = useState(true);
  const [typed, setTyped] = useState('');
  const [isLeaving, setLeaving] = useState(false);
  const isConfirmed = typed.trim().toLowerCase() === handle;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isConfirmed || remove.isPending || isLeaving) return;
    try {
      await remove.mutateAsync({ organization_id: id });
    } catch {
      // Shown from remove.error.
      return;
    }
    setLeaving(true);
    await exit();
    notifySuccess(t({ context: 'organization', message: `${name} was deleted` }));
  };

  return (
    <Modal
      opened={isOpen}
      onClose={() => setOpen(false)}
      onExitTransitionEnd={props.onClosed}
      title={t({ context: 'organization', message: `Delete ${name}?` })}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            <Trans>
              Every member immediately loses access to <strong>{name}</strong>, and it cannot be restored.
            </Trans>
          </Text>
          {billing.data && billing.data.mode !== 'off' && (
            <Text size="sm">
              <Trans>
                What it has used this month is billed after the month has ended. Its billing contact gets a
                link to each unpaid invoice by email, if this installation sends email.
              </Trans>
            </Text>
          )}
          <TypedName name={handle} value={typed} onChange={setTyped} />
          {remove.error && (
            <ErrorNotice>
              {describe(remove.error)}{' '}
              {readError(remove.error)?.code === 'organization_not_empty' && (
                <Trans>A deleted site counts for as long as it can be restored.</Trans>
              )}
            </ErrorNotice>
          )}
          <DialogActions
            submit={<Trans>Delete organization</Trans>}
            onCancel={() => setOpen(false)}
            isPending={remove.isPending || isLeaving}
            isDisabled={!isConfirmed}
            isDestructive
          />
        </Stack>
      </form>
    </Modal>
  );
}

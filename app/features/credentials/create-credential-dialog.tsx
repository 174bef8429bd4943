import { useLingui } from '@lingui/react/macro';
import { Modal } from '@mantine/core';
import type { CreateCredentialResult } from '#server/services/credentials/schema.ts';
import { CreateCredentialForm, type InitialAccess } from './create-credential-form.tsx';

/** The dialog around the create form; each opening begins with an empty form, or with the given site or bucket. */
export function CreateCredentialDialog(props: {
  isOpen: boolean;
  initial: InitialAccess;
  onClose: () => void;
  onCreated: (result: CreateCredentialResult) => void;
}) {
  const { t } = useLingui();
  return (
    <Modal
      opened={props.isOpen}
      onClose={props.onClose}
      title={t`Create credential`}
      size="lg"
      closeButtonProps={{ 'aria-label': t`Close` }}
    >
      <CreateCredentialForm initial={props.initial} onCancel={props.onClose} onCreated={props.onCreated} />
    </Modal>
  );
}

import { useLingui } from '@lingui/react/macro';
import { Modal } from '@mantine/core';
import type { Credential } from '#server/services/credentials/schema.ts';
import { EditScopesForm } from './edit-scopes-form.tsx';

/** The dialog around the scopes of one credential; null when none is being edited. */
export function EditScopesDialog(props: { credential: Credential | null; onClose: () => void }) {
  const { t } = useLingui();
  return (
    <Modal
      opened={props.credential !== null}
      onClose={props.onClose}
      title={t`Edit scopes`}
      size="lg"
      closeButtonProps={{ 'aria-label': t`Close` }}
    >
      {props.credential && (
        <EditScopesForm key={props.credential.id} credential={props.credential} onDone={props.onClose} />
      )}
    </Modal>
  );
}

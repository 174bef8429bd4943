import { useLingui } from '@lingui/react/macro';
import { Modal } from '@mantine/core';
import { CreateEndpointForm } from './create-endpoint-form.tsx';

/**
 * The dialog with the form of a new endpoint; each opening begins with an empty form, or with the given site.
 */
export function CreateEndpointDialog(props: {
  isOpen: boolean;
  initialSiteId: string | undefined;
  onClose: () => void;
}) {
  const { t } = useLingui();
  return (
    <Modal
      opened={props.isOpen}
      onClose={props.onClose}
      title={t`Add endpoint`}
      size="lg"
      closeButtonProps={{ 'aria-label': t`Close` }}
    >
      <CreateEndpointForm initialSiteId={props.initialSiteId} onCancel={props.onClose} />
    </Modal>
  );
}

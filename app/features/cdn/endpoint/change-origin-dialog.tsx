import { useLingui } from '@lingui/react/macro';
import { Modal } from '@mantine/core';
import { Suspense } from 'react';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { StartAtFirstField } from '../../../components/focus/start-at-first-field.tsx';
import { lazyPart } from '../../../components/lazy-parts/lazy-part.tsx';

/** The form is loaded with the first opening: the page does not wait for it. */
const ChangeOriginForm = lazyPart(() => import('../form/change-origin-form.tsx'));

/** The dialog for changing the origin; each opening begins with the current origin. */
export function ChangeOriginDialog(props: { endpoint: Endpoint; isOpen: boolean; onClose: () => void }) {
  const { t } = useLingui();
  const { endpoint, isOpen, onClose } = props;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t`Change origin`}
      size="lg"
      closeButtonProps={{ 'aria-label': t`Close` }}
    >
      <Suspense fallback={null}>
        <ChangeOriginForm endpoint={endpoint} onDone={onClose} />
        <StartAtFirstField />
      </Suspense>
    </Modal>
  );
}

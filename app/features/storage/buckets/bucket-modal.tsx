import { useLingui } from '@lingui/react/macro';
import { Modal } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { StartAtFirstField } from '../../../components/focus/start-at-first-field.tsx';

/** A dialog about a bucket; its content is loaded with the first opening. */
export function BucketModal(props: {
  isOpen: boolean;
  title: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const { t } = useLingui();
  return (
    <Modal
      opened={props.isOpen}
      onClose={props.onClose}
      title={props.title}
      size="lg"
      closeButtonProps={{ 'aria-label': t`Close` }}
    >
      <Suspense fallback={null}>
        {props.children}
        <StartAtFirstField />
      </Suspense>
    </Modal>
  );
}

import { Modal, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { OpenQuestion } from './confirm-host.tsx';
import { DialogActions } from './dialog-actions.tsx';

/** The dialog of one question. The focus goes to the harmless button and returns to where it came from. */
export default function ConfirmDialog(props: { question: OpenQuestion; onClosed: () => void }) {
  const { title, body, confirm, isDestructive, answer, opener } = props.question;
  const [isOpen, setOpen] = useState(true);
  // Mantine returns the focus only from a dialog that it has seen closed, and this one is initially open.
  useEffect(() => {
    return () => {
      const isLost = document.activeElement === document.body;
      if (isLost && opener instanceof HTMLElement && opener.isConnected)
        opener.focus({ preventScroll: true });
    };
  }, [opener]);
  const close = (isConfirmed: boolean) => {
    answer(isConfirmed);
    setOpen(false);
  };
  return (
    <Modal opened={isOpen} onClose={() => close(false)} onExitTransitionEnd={props.onClosed} title={title}>
      <Text size="sm" component="div">
        {body}
      </Text>
      <DialogActions
        submit={confirm}
        onCancel={() => close(false)}
        onSubmit={() => close(true)}
        isDestructive={isDestructive}
        startsAtCancel
        mt="lg"
      />
    </Modal>
  );
}

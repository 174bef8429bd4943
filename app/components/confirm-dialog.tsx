import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import type { OpenQuestion } from './confirm-host.tsx';

/** The dialog of one question. The focus goes to the harmless button and returns to where it came from. */
export default function ConfirmDialog(props: { question: OpenQuestion; onClosed: () => void }) {
  const { title, body, confirm, isDestructive, answer } = props.question;
  const [isOpen, setOpen] = useState(true);
  const close = (isConfirmed: boolean) => {
    answer(isConfirmed);
    setOpen(false);
  };
  return (
    <Modal opened={isOpen} onClose={() => close(false)} onExitTransitionEnd={props.onClosed} title={title}>
      <Text size="sm" component="div">
        {body}
      </Text>
      <Group justify="flex-end" mt="lg" gap="sm">
        <Button variant="default" onClick={() => close(false)} data-autofocus>
          <Trans>Cancel</Trans>
        </Button>
        <Button color={isDestructive ? 'red' : undefined} onClick={() => close(true)}>
          {confirm}
        </Button>
      </Group>
    </Modal>
  );
}

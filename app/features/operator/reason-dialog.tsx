import { Trans } from '@lingui/react/macro';
import { Modal, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { DialogActions } from '../../components/dialogs/dialog-actions.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';

const REASON_MAX = 500;

/** Asks for a reason before something is stopped; the field says who will read it. */
export function ReasonDialog(props: {
  title: string;
  explanation: ReactNode;
  readers: string;
  confirm: string;
  onConfirm: (reason: string) => Promise<unknown>;
  onClosed: () => void;
}) {
  const describe = useErrorMessage();
  const [isOpen, setOpen] = useState(true);
  const [reason, setReason] = useState('');
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (reason.trim() === '' || isPending) return;
    setPending(true);
    try {
      await props.onConfirm(reason.trim());
      setOpen(false);
    } catch (error) {
      setFailure(error);
    }
    setPending(false);
  };
  return (
    <Modal
      opened={isOpen}
      onClose={() => setOpen(false)}
      onExitTransitionEnd={props.onClosed}
      title={props.title}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text size="sm">{props.explanation}</Text>
          <Textarea
            data-autofocus
            label={<Trans>Reason</Trans>}
            description={props.readers}
            required
            autosize
            minRows={2}
            maxRows={8}
            maxLength={REASON_MAX}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          {failure !== null && <ErrorNotice>{describe(failure)}</ErrorNotice>}
          <DialogActions
            submit={props.confirm}
            onCancel={() => setOpen(false)}
            isPending={isPending}
            isDisabled={reason.trim() === ''}
            isDestructive
          />
        </Stack>
      </form>
    </Modal>
  );
}

import { Trans } from '@lingui/react/macro';
import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './dialog-actions.module.css';

/** The buttons at the end of a dialog or of a form in a panel: cancel, then submit. */
export function DialogActions(props: {
  submit: ReactNode;
  onCancel: () => void;
  /** Without a form around it. */
  onSubmit?: () => void;
  isPending?: boolean;
  isDisabled?: boolean;
  isDestructive?: boolean | undefined;
  /** Whether the focus begins at Cancel: where there is nothing to fill in. */
  startsAtCancel?: boolean;
  mt?: 'lg';
}) {
  const { onSubmit } = props;
  return (
    <Group justify="flex-end" gap="sm" mt={props.mt} className={classes.actions}>
      <Button variant="default" onClick={props.onCancel} data-autofocus={props.startsAtCancel || undefined}>
        <Trans>Cancel</Trans>
      </Button>
      <Button
        type={onSubmit ? 'button' : 'submit'}
        color={props.isDestructive ? 'red' : undefined}
        disabled={props.isDisabled}
        loading={props.isPending}
        onClick={onSubmit}
      >
        {props.submit}
      </Button>
    </Group>
  );
}

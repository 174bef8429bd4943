import { Trans } from '@lingui/react/macro';
import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';

/** The buttons at the end of a form within a page: submit it, or cancel. */
export function FormActions(props: {
  submit: ReactNode;
  isPending: boolean;
  isDestructive?: boolean;
  onCancel: () => void;
}) {
  return (
    <Group gap="sm">
      <Button type="submit" color={props.isDestructive ? 'red' : undefined} loading={props.isPending}>
        {props.submit}
      </Button>
      <Button variant="default" onClick={props.onCancel}>
        <Trans>Cancel</Trans>
      </Button>
    </Group>
  );
}

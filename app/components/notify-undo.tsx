import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';

/** Long enough to read, think and reach for it; it waits while it is hovered or focused. */
const UNDO_MS = 15_000;

/** Says at the edge of the screen that something was done, and offers to undo it for a while. */
export function notifyUndo(message: ReactNode, onUndo: () => void): void {
  const id = notifications.show({
    color: 'green',
    autoClose: UNDO_MS,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" component="span" style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            notifications.hide(id);
            onUndo();
          }}
        >
          <Trans>Undo</Trans>
        </Button>
      </Group>
    ),
  });
}

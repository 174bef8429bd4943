import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { showNotification } from './notification-host.tsx';

/** Long enough to read, think and react; it pauses while hovered or focused. */
const UNDO_MS = 15_000;

/** Says at the edge of the screen that something was done, and offers to undo it for a while. */
export function notifyUndo(message: ReactNode, onUndo: () => void): void {
  const hide = showNotification({
    color: 'green',
    autoClose: UNDO_MS,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" component="span" style={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
          {message}
        </Text>
        <Button
          size="xs"
          variant="default"
          flex="none"
          onClick={() => {
            hide();
            onUndo();
          }}
        >
          <Trans>Undo</Trans>
        </Button>
      </Group>
    ),
  });
}

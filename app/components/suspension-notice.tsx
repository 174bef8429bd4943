import { Alert, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** Says that an operator has suspended something, why, and what that means. */
export function SuspensionNotice(props: { title: ReactNode; reason: string | null; children: ReactNode }) {
  return (
    <Alert color="yellow" icon={<IconLock size={18} aria-hidden />} role="status" mb="lg" title={props.title}>
      {props.reason && (
        <Text size="sm" fw={500} mb={4} style={{ overflowWrap: 'anywhere' }}>
          {props.reason}
        </Text>
      )}
      <Text size="sm">{props.children}</Text>
    </Alert>
  );
}

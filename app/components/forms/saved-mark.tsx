import { Group, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** Says next to a button that something was saved; announced, and hidden again later. */
export function SavedMark({ isShown, children }: { isShown: boolean; children: ReactNode }) {
  return (
    <div role="status">
      {isShown && (
        <Group gap={6} c="green" wrap="nowrap">
          <IconCircleCheck size={18} stroke={1.75} aria-hidden />
          <Text size="sm" span>
            {children}
          </Text>
        </Group>
      )}
    </div>
  );
}

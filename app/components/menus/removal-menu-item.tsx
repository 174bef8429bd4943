import { Menu, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/**
 * The entry of a menu that removes something. Where that is not allowed, `reason` says why: the arrow keys still reach the entry, so
 * that it is heard.
 */
export function RemovalMenuItem(props: { children: ReactNode; reason: string | null; onRemove: () => void }) {
  const { children, reason, onRemove } = props;
  const icon = <IconTrash size={16} stroke={1.6} color="var(--mantine-color-red-text)" aria-hidden />;
  if (reason === null) {
    return (
      <Menu.Item leftSection={icon} onClick={onRemove}>
        {children}
      </Menu.Item>
    );
  }
  return (
    <>
      <Menu.Item
        leftSection={icon}
        aria-disabled
        aria-description={reason}
        closeMenuOnClick={false}
        c="dimmed"
      >
        {children}
      </Menu.Item>
      <Text size="xs" c="dimmed" px="sm" pb="xs" style={{ whiteSpace: 'normal' }} aria-hidden>
        {reason}
      </Text>
    </>
  );
}

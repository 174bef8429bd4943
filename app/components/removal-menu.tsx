import { useLingui } from '@lingui/react/macro';
import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconDots, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/**
 * The menu next to a page's main actions, with the action to remove the page's subject; `reason` says why it
 * is not allowed.
 */
export function RemovalMenu(props: { children: ReactNode; reason: string | null; onRemove: () => void }) {
  const { t } = useLingui();
  return (
    <Menu position="bottom-end" width={240} withinPortal={false} returnFocus>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={t`More actions`}>
          <IconDots size={18} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          disabled={props.reason !== null}
          leftSection={<IconTrash size={16} stroke={1.6} color="var(--mantine-color-red-text)" aria-hidden />}
          onClick={props.onRemove}
        >
          {props.children}
        </Menu.Item>
        {props.reason && (
          <Text size="xs" c="dimmed" px="sm" pb="xs">
            {props.reason}
          </Text>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

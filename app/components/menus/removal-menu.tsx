import { useLingui } from '@lingui/react/macro';
import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { RemovalMenuItem } from './removal-menu-item.tsx';

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
        <RemovalMenuItem reason={props.reason} onRemove={props.onRemove}>
          {props.children}
        </RemovalMenuItem>
      </Menu.Dropdown>
    </Menu>
  );
}

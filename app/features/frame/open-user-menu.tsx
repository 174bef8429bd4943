import { Trans, useLingui } from '@lingui/react/macro';
import { Box, Menu, Text, useMantineColorScheme } from '@mantine/core';
import {
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconServer2,
  IconSettings,
  IconSun,
} from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import { useOpenOnArrival } from '../../components/lazy-parts/use-on-intent.ts';
import { MenuItemLink } from '../../components/menus/menu-item-link.tsx';
import { notifyFailure } from '../../components/notifications/notify.ts';
import { trpc } from '../../trpc.ts';
import { useHomeOrganization, useUser } from '../organizations/use-organization.ts';
import { signOut } from '../sign-in/sign-out.ts';
import { UserMenuButton } from './user-menu-button.tsx';

/** The menu under the avatar, initially open: name and email; Settings, the colour scheme, and Sign out. */
export default function OpenUserMenu() {
  const { t } = useLingui();
  const user = useUser();
  const { organization } = useHomeOrganization();
  const operator = trpc.operator.access.useQuery(undefined, { staleTime: 60_000 });
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const name = user.full_name || user.login;
  const [isOpen, setOpen] = useState(false);
  const button = useOpenOnArrival(useCallback(() => setOpen(true), []));
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end" width={260} withinPortal={false}>
      <Menu.Target>
        <UserMenuButton ref={button} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)">
            {name}
          </Text>
          <Text size="xs" c="dimmed">
            {user.email}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <MenuItemLink
          component="a"
          to="/$orgId/settings"
          params={{ orgId: organization.id }}
          leftSection={<IconSettings size={16} stroke={1.6} />}
        >
          <Trans>Settings</Trans>
        </MenuItemLink>
        {operator.data?.access && (
          <MenuItemLink component="a" to="/operator" leftSection={<IconServer2 size={16} stroke={1.6} />}>
            <Trans>Operation</Trans>
          </MenuItemLink>
        )}
        <Menu.Divider />
        <Box role="group" aria-label={t`Colour scheme`}>
          <Menu.Label>
            <Trans>Colour scheme</Trans>
          </Menu.Label>
          <Menu.RadioGroup
            value={colorScheme}
            onChange={(value) => setColorScheme(value === 'light' || value === 'dark' ? value : 'auto')}
          >
            <Menu.RadioItem value="auto">
              <SchemeLabel icon={<IconDeviceDesktop size={16} stroke={1.6} />} name={t`System`} />
            </Menu.RadioItem>
            <Menu.RadioItem value="light">
              <SchemeLabel icon={<IconSun size={16} stroke={1.6} />} name={t`Light`} />
            </Menu.RadioItem>
            <Menu.RadioItem value="dark">
              <SchemeLabel icon={<IconMoon size={16} stroke={1.6} />} name={t`Dark`} />
            </Menu.RadioItem>
          </Menu.RadioGroup>
        </Box>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={16} stroke={1.6} />}
          onClick={() => signOut().catch(() => notifyFailure(t`Logout failed`))}
        >
          <Trans>Sign out</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function SchemeLabel({ icon, name }: { icon: React.ReactNode; name: string }) {
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 8 }}>
      {icon}
      {name}
    </span>
  );
}

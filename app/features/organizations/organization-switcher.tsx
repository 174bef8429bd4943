import { useLingui } from '@lingui/react/macro';
import { Popover, Text, UnstyledButton } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { useState } from 'react';
import { moveFocus } from '../../components/move-focus.ts';
import { nameOfOrganization } from './name-of-organization.ts';
import { OrganizationLinks } from './organization-links.tsx';
import { OrganizationList } from './organization-list.tsx';
import classes from './organization-switcher.module.css';
import { usePlace } from './place-provider.tsx';
import { useSwitchOrganization } from './use-switch-organization.ts';

/**
 * Lists every organization, the current one ticked. Switching keeps the rest of the address and adds no history entry; it
 * is disabled while a switch is in progress, closes on success, and shows a failure inside, in red.
 */
export function OrganizationSwitcher() {
  const { t } = useLingui();
  const { user, membership } = usePlace();
  const [isOpen, setOpen] = useState(false);
  const { switchTo, pendingId, error, forget } = useSwitchOrganization({ onSwitched: () => setOpen(false) });
  const currentName = membership
    ? nameOfOrganization(membership.organization, user)
    : t`Unknown Organization`;

  const changeOpen = (next: boolean) => {
    if (next) forget();
    setOpen(next);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={changeOpen}
      position="bottom-start"
      width={304}
      withinPortal={false}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <UnstyledButton
          className={classes.target}
          disabled={pendingId !== null}
          aria-label={t`Switch organization: ${currentName}`}
          onClick={() => changeOpen(!isOpen)}
        >
          <Text size="sm" fw={500} truncate maw="12rem">
            {currentName}
          </Text>
          <IconSelector size={16} stroke={1.6} aria-hidden style={{ flex: 'none' }} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p={4} onKeyDown={moveFocus} aria-label={t`Organizations`}>
        <OrganizationList
          pendingId={pendingId}
          error={error}
          onChoose={(organizationId) =>
            organizationId === membership?.organization.id ? setOpen(false) : switchTo(organizationId)
          }
        />
        <OrganizationLinks onFollow={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

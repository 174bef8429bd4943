import { useLingui } from '@lingui/react/macro';
import { Popover } from '@mantine/core';
import { useCallback, useState } from 'react';
import { moveFocus } from '../../../components/focus/move-focus.ts';
import { useOpenOnArrival } from '../../../components/lazy-parts/use-on-intent.ts';
import { useMemberships } from '../memberships-provider.tsx';
import { OrganizationLinks } from './organization-links.tsx';
import { OrganizationList } from './organization-list.tsx';
import classes from './organization-switcher.module.css';
import { OrganizationSwitcherButton } from './organization-switcher-button.tsx';
import { useSwitchOrganization } from './use-switch-organization.ts';

/**
 * Lists every organization, the current one ticked; initially open. Switching keeps the rest of the address
 * and adds no history entry; it is disabled while a switch is in progress, closes on success, and shows a
 * failure inside, in red.
 */
export default function OpenOrganizationSwitcher() {
  const { t } = useLingui();
  const { membership } = useMemberships();
  const [isOpen, setOpen] = useState(false);
  const button = useOpenOnArrival(useCallback(() => setOpen(true), []));
  const { switchTo, pendingId, error, forget } = useSwitchOrganization({ onSwitched: () => setOpen(false) });

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
        <OrganizationSwitcherButton
          ref={button}
          disabled={pendingId !== null}
          onClick={() => changeOpen(!isOpen)}
        />
      </Popover.Target>
      <Popover.Dropdown
        p={4}
        className={classes.dropdown}
        onKeyDown={moveFocus}
        aria-label={t`Organizations`}
      >
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

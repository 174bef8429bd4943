import { useLingui } from '@lingui/react/macro';
import { UnstyledButton, type UnstyledButtonProps } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { useMemberships } from '../memberships-provider.tsx';
import { nameOfOrganization } from '../name-of-organization.ts';
import classes from './organization-switcher.module.css';

/** The name of the current organization, which opens the list of all. */
export function OrganizationSwitcherButton(props: UnstyledButtonProps & ComponentProps<'button'>) {
  const { t } = useLingui();
  const { user, membership } = useMemberships();
  const currentName = membership
    ? nameOfOrganization(membership.organization, user)
    : t`Unknown Organization`;
  return (
    <UnstyledButton {...props} className={classes.target} aria-label={t`Switch organization: ${currentName}`}>
      <span className={classes.currentName}>{currentName}</span>
      <IconSelector size={16} stroke={1.6} aria-hidden style={{ flex: 'none' }} />
    </UnstyledButton>
  );
}

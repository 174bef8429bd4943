import { Trans } from '@lingui/react/macro';
import { Avatar, UnstyledButton, type UnstyledButtonProps } from '@mantine/core';
import type { ComponentProps } from 'react';
import { initialsOf } from '../../components/initials-of.ts';
import { useUser } from '../organizations/use-organization.ts';

/** The avatar that opens the user menu. */
export function UserMenuButton(props: UnstyledButtonProps & ComponentProps<'button'>) {
  const user = useUser();
  return (
    <UnstyledButton {...props}>
      <Avatar src={user.avatar_url} size={32} color="lake" alt="" aria-hidden>
        {initialsOf(user.full_name || user.login)}
      </Avatar>
      <span className="visually-hidden">
        <Trans>User menu</Trans>
      </span>
    </UnstyledButton>
  );
}

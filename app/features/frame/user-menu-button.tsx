import { Trans } from '@lingui/react/macro';
import { UnstyledButton, type UnstyledButtonProps } from '@mantine/core';
import type { ComponentProps } from 'react';
import { Avatar } from '../../components/avatar/avatar.tsx';
import { useUser } from '../organizations/use-organization.ts';

/** The avatar that opens the user menu. */
export function UserMenuButton(props: UnstyledButtonProps & ComponentProps<'button'>) {
  const user = useUser();
  return (
    <UnstyledButton {...props}>
      <Avatar src={user.avatar_url} name={user.full_name || user.login} size={32} />
      <span className="visually-hidden">
        <Trans>User menu</Trans>
      </span>
    </UnstyledButton>
  );
}

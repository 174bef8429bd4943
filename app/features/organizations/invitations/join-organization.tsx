import { Trans } from '@lingui/react/macro';
import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { User } from '#server/services/identity/schema.ts';
import type { InvitationPreview } from '#server/services/organizations/schema.ts';
import { Avatar } from '../../../components/avatar/avatar.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { notifyFailure } from '../../../components/notifications/notify.ts';
import { isNotFound } from '../../../i18n/errors/read-error.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { signOut } from '../../sign-in/sign-out.ts';
import classes from './invitation-page.module.css';
import { useEnterOrganization } from './use-enter-organization.ts';

/** Says with which account the visitor joins, and joins; another person signs out here and comes back. */
export function JoinOrganization(props: { token: string; invitation: InvitationPreview; visitor: User }) {
  const { token, invitation, visitor } = props;
  const { email } = invitation;
  const { name } = invitation.organization;
  const personName = visitor.full_name || visitor.login;
  const ownEmail = visitor.email;
  const router = useRouter();
  const describe = useErrorMessage();
  const enter = useEnterOrganization();
  const accept = trpc.organizations.acceptInvitation.useMutation();
  const [isEntering, setEntering] = useState(false);
  const isForOther = email !== null && email.toLowerCase() !== ownEmail.toLowerCase();

  const join = async () => {
    try {
      const { organization } = await accept.mutateAsync({ token });
      setEntering(true);
      await enter(organization.id);
    } catch (error) {
      setEntering(false);
      // Used or revoked since the page was opened: the page says so itself.
      if (isNotFound(error)) await router.invalidate();
    }
  };

  return (
    <Stack gap="md">
      <div className={classes.person}>
        <Avatar src={visitor.avatar_url} name={personName} size={36} />
        <div className={classes.personWords}>
          <Text size="sm" fw={500}>
            <bdi>{personName}</bdi>
          </Text>
          <Text size="xs" c="dimmed">
            {ownEmail}
          </Text>
        </div>
      </div>
      {isForOther && (
        <Alert color="yellow" icon={<IconInfoCircle size={18} aria-hidden />} role="note">
          <Trans>
            The invitation is addressed to {email}. You can still join with this account if it is meant for
            you.
          </Trans>
        </Alert>
      )}
      {accept.error && !isNotFound(accept.error) && <ErrorNotice>{describe(accept.error)}</ErrorNotice>}
      <Button
        size="md"
        fullWidth
        className={classes.action}
        onClick={() => void join()}
        loading={accept.isPending || isEntering}
      >
        {/* One child: the label of a button lays its children out beside each other. */}
        <span>
          <Trans>
            Join <bdi>{name}</bdi>
          </Trans>
        </span>
      </Button>
      <Text size="sm" c="dimmed" ta="center">
        <Trans>
          Not you?{' '}
          <Anchor
            component="button"
            type="button"
            onClick={() =>
              void signOut(window.location.href).catch((error: unknown) => notifyFailure(describe(error)))
            }
          >
            Sign out
          </Anchor>
        </Trans>
      </Text>
    </Stack>
  );
}

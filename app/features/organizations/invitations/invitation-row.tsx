import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Badge, Button, Group, Text } from '@mantine/core';
import type { Invitation, Membership } from '#server/services/organizations/schema.ts';
import { CopyButton } from '../../../components/copying/copy-button.tsx';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { askConfirmation } from '../../../components/dialogs/confirm-host.tsx';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { notifyFailure, notifySuccess } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { PERMISSION_NAMES } from '../../../i18n/permission-names.ts';
import { trpc } from '../../../trpc.ts';
import { useMemberReason } from '../members/use-member-reason.ts';
import classes from './invitations-tab.module.css';

/** The delivery status of an invitation's message; nothing for a link that is shared by hand. */
const DELIVERIES = {
  queued: { words: msg({ context: 'invitation', message: 'being sent' }), color: 'gray' },
  sent: { words: msg({ context: 'invitation', message: 'sent' }), color: 'green' },
  failed: { words: msg({ context: 'invitation', message: 'could not be sent' }), color: 'red' },
};

/**
 * One open invitation: for whom, with which permission, by whom, until when; its link, and the action to
 * revoke it.
 */
export function InvitationRow(props: {
  invitation: Invitation;
  membership: Membership;
  onRevoked: (id: string) => void;
}) {
  const { i18n, t } = useLingui();
  const { invitation, membership } = props;
  const { email, link, invited_by: inviter } = invitation;
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const revoke = trpc.organizations.revokeInvitation.useMutation();
  const reason = useMemberReason(membership)('member.invite');
  const delivery = invitation.delivery === 'none' ? null : DELIVERIES[invitation.delivery];
  const inIt = { organization_id: membership.organization.id };

  const askToRevoke = async () => {
    const isSure = await askConfirmation({
      title: t`Revoke this invitation?`,
      body: (
        <Trans>
          Its link stops working immediately. Anyone who has already joined with it stays a member.
        </Trans>
      ),
      confirm: t`Revoke`,
      isDestructive: true,
    });
    if (!isSure) return;
    try {
      await revoke.mutateAsync({ ...inIt, invitation_id: invitation.id });
      props.onRevoked(invitation.id);
      notifySuccess(t`The invitation was revoked`);
    } catch (error) {
      notifyFailure(describe(error));
    }
    await utils.organizations.invitations.invalidate(inIt);
  };

  return (
    <li className={classes.row}>
      <div className={classes.words}>
        <Group gap="xs">
          <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
            {email ?? <Trans>Anyone with the link</Trans>}
          </Text>
          <Badge size="sm">{i18n._(PERMISSION_NAMES[invitation.permission])}</Badge>
          {delivery && (
            <Badge size="sm" color={delivery.color}>
              {i18n._(delivery.words)}
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" component="div">
          <Trans>
            Invited by {inviter} · expires <TimeAgo instant={invitation.expires_at} />
          </Trans>
        </Text>
      </div>
      <Group gap="xs" wrap="nowrap">
        {link && <CopyButton value={link} label={t`Copy invitation link`} />}
        <ReasonedAction reason={reason} onAct={() => void askToRevoke()}>
          {(action) => (
            <Button variant="default" size="xs" loading={revoke.isPending} {...action}>
              <Trans>Revoke</Trans>
            </Button>
          )}
        </ReasonedAction>
      </Group>
    </li>
  );
}

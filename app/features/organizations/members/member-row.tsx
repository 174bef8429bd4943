import { Trans, useLingui } from '@lingui/react/macro';
import { ActionIcon, Badge, Group, NativeSelect, Text, Tooltip } from '@mantine/core';
import { IconUserMinus } from '@tabler/icons-react';
import { memo } from 'react';
import { mayGrant, PERMISSIONS } from '#server/services/organizations/rules.ts';
import type { Member, Membership } from '#server/services/organizations/schema.ts';
import { Avatar } from '../../../components/avatar/avatar.tsx';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { FORESEEN_MESSAGES } from '../../../i18n/errors/foreseen-messages.ts';
import { PERMISSION_NAMES } from '../../../i18n/permission-names.ts';
import classes from './members-tab.module.css';
import { useMemberActions } from './use-member-actions.tsx';
import { useMemberReason } from './use-member-reason.ts';

/**
 * One member: who it is, the permission, and the actions for those who may use them. Loading a further page
 * does not render existing rows again.
 */
export const MemberRow = memo(function MemberRow(props: {
  member: Member;
  membership: Membership;
  /** Whether this is the organization's only owner. */
  isLastOwner: boolean;
  /** The search of the list that contains it. */
  search: string | undefined;
}) {
  const { t } = useLingui();
  const { member, membership, isLastOwner, search } = props;
  const name = member.full_name || member.login;
  const reasonNot = useMemberReason(membership);
  const actions = useMemberActions(membership.organization.id, search);
  const mayChange = reasonNot('member.remove') === null && mayGrant(membership.permission, member.permission);
  return (
    <li className={classes.row}>
      <Avatar src={member.avatar_url} name={name} size={36} />
      <div className={classes.person}>
        <Group gap="xs">
          <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
            <bdi>{name}</bdi>
          </Text>
          {member.is_you && (
            <Badge size="sm">
              <Trans context="member">you</Trans>
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed">
          {member.login}
          {member.email && ` · ${member.email}`}
        </Text>
      </div>
      <div className={classes.joined}>
        <Trans>Joined</Trans> <TimeAgo instant={member.joined_at} />
      </div>
      <div className={classes.permission}>
        <PermissionOfMember
          member={member}
          membership={membership}
          isLastOwner={isLastOwner}
          onChange={(permission) => void actions.changePermission(member, permission)}
        />
      </div>
      <div className={classes.action}>
        {mayChange && !member.is_you && (
          <Tooltip label={t`Remove`}>
            <ActionIcon
              aria-label={t`Remove ${name}`}
              loading={actions.isRemoving}
              onClick={() => void actions.askToRemove(member)}
            >
              <IconUserMinus size={17} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
    </li>
  );
});

/**
 * The permission: a choice for those who may change it, otherwise its name, with the reason unless that is
 * given above.
 */
function PermissionOfMember(props: {
  member: Member;
  membership: Membership;
  isLastOwner: boolean;
  onChange: (permission: Member['permission']) => void;
}) {
  const { i18n, t } = useLingui();
  const { member, membership, isLastOwner, onChange } = props;
  const isManaged = useMemberReason(membership)('member.update') === null;
  const mayChange = isManaged && mayGrant(membership.permission, member.permission) && !isLastOwner;
  const name = member.full_name || member.login;
  if (mayChange) {
    return (
      <NativeSelect
        size="sm"
        aria-label={t`Permission of ${name}`}
        value={member.permission}
        onChange={(event) => {
          const chosen = PERMISSIONS.find((permission) => permission === event.currentTarget.value);
          if (chosen) onChange(chosen);
        }}
        data={PERMISSIONS.toReversed()
          .filter((permission) => mayGrant(membership.permission, permission))
          .map((permission) => ({ value: permission, label: i18n._(PERMISSION_NAMES[permission]) }))}
      />
    );
  }
  return (
    <>
      <Text size="sm">{i18n._(PERMISSION_NAMES[member.permission])}</Text>
      {isManaged && (
        <Text size="xs" c="dimmed">
          {i18n._(isLastOwner ? FORESEEN_MESSAGES.last_owner : FORESEEN_MESSAGES.permission_not_grantable)}
        </Text>
      )}
    </>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Text, Title } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { ACTION_PERMISSION, isAllowed } from '#server/services/organizations/rules.ts';
import type { Membership } from '#server/services/organizations/schema.ts';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { ButtonLink } from '../../../components/links.tsx';
import { PERMISSION_NAMES } from '../../../i18n/permission-names.ts';
import { LimitNotice } from '../../limits/limit-notice.tsx';
import { MembersList } from './members-list.tsx';
import { PermissionsLink } from './permissions-link.tsx';
import { useLeaveOrganization } from './use-leave-organization.tsx';
import { useMemberReason } from './use-member-reason.ts';
import { useOwners } from './use-owners.ts';

const route = getRouteApi('/identity/organizations/$handle');

/** The members of the organization with their permissions, and how to join and leave. */
export function MembersTab({ membership }: { membership: Membership }) {
  const { i18n } = useLingui();
  const { handle } = route.useParams();
  const reasonNot = useMemberReason(membership);
  const { isLastOwner } = useOwners(membership);
  const leave = useLeaveOrganization(membership);
  const inviteReason = reasonNot('member.invite');
  const required = i18n._(PERMISSION_NAMES[ACTION_PERMISSION['member.update']]);
  return (
    <>
      <Group justify="space-between" align="flex-start" mb="md" gap="md">
        <div style={{ flex: '1 1 16rem' }}>
          <Title order={2}>
            <Trans>Members</Trans>
          </Title>
          <Text size="sm" c="dimmed" mt={2}>
            {isAllowed(membership.permission, 'member.update') ? (
              <Trans>Changes take effect immediately, with the member’s next click.</Trans>
            ) : (
              <Trans>To change or remove members, you need the {required} permission.</Trans>
            )}{' '}
            <PermissionsLink />
          </Text>
        </div>
        <Group gap="xs">
          <ReasonedAction reason={leave.reasonNot(isLastOwner)} onAct={() => void leave.askToLeave()}>
            {(action) => (
              <Button
                variant="default"
                leftSection={<IconLogout size={16} stroke={1.75} aria-hidden />}
                loading={leave.isLeaving}
                {...action}
              >
                <Trans>Leave</Trans>
              </Button>
            )}
          </ReasonedAction>
          {inviteReason === null && (
            <ButtonLink
              to="/identity/organizations/$handle"
              params={{ handle }}
              search={{ tab: 'invitations' }}
              hash="invite"
              resetScroll={false}
            >
              <Trans>Invite people</Trans>
            </ButtonLink>
          )}
        </Group>
      </Group>
      <LimitNotice organizationId={membership.organization.id} of={['members', 'invitations']} />
      <MembersList membership={membership} isLastOwner={isLastOwner} />
    </>
  );
}

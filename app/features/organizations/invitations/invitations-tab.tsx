import { Trans } from '@lingui/react/macro';
import { Stack } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useState } from 'react';
import { isAllowed } from '#server/services/organizations/rules.ts';
import type { Invitation, Membership } from '#server/services/organizations/schema.ts';
import { EmptyState } from '../../../components/lists/empty-state.tsx';
import { LimitNotice } from '../../limits/limit-notice.tsx';
import { useMemberReason } from '../members/use-member-reason.ts';
import { useOwners } from '../members/use-owners.ts';
import { InvitationsList } from './invitations-list.tsx';
import { InviteForm } from './invite-form.tsx';
import { InvitedBanner } from './invited-banner.tsx';

/** The form to invite people, and the invitations that have not been used yet. */
export function InvitationsTab({ membership }: { membership: Membership }) {
  const reason = useMemberReason(membership)('member.invite');
  const [invited, setInvited] = useState<Invitation | null>(null);
  if (!isAllowed(membership.permission, 'member.invite')) {
    return <WhoMayInvite membership={membership} reason={reason} />;
  }
  return (
    <Stack gap="lg">
      <LimitNotice organizationId={membership.organization.id} of={['members', 'invitations']} />
      {reason === null && <InviteForm membership={membership} onInvited={setInvited} />}
      {invited && <InvitedBanner key={invited.id} invitation={invited} onDismiss={() => setInvited(null)} />}
      <InvitationsList
        membership={membership}
        onRevoked={(id) => setInvited((shown) => (shown?.id === id ? null : shown))}
      />
    </Stack>
  );
}

function WhoMayInvite({ membership, reason }: { membership: Membership; reason: string | null }) {
  const { names } = useOwners(membership);
  const list = names.join(', ');
  return (
    <EmptyState icon={IconLock} title={<Trans>Administrators invite people</Trans>}>
      {reason} {list !== '' && <Trans>You can ask: {list}.</Trans>}
    </EmptyState>
  );
}

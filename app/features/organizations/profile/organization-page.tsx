import { Trans, useLingui } from '@lingui/react/macro';
import { Alert } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Membership, PublicProfile } from '#server/services/organizations/schema.ts';
import { FORESEEN_MESSAGES } from '../../../i18n/errors/foreseen-messages.ts';
import { trpc } from '../../../trpc.ts';
import { VisitorFrame } from '../../frame/visitor-frame.tsx';
import { InvitationsTab } from '../invitations/invitations-tab.tsx';
import { MembersTab } from '../members/members-tab.tsx';
import { AboutTab } from './about-tab.tsx';
import { OrganizationHead } from './organization-head.tsx';
import classes from './organization-page.module.css';
import { ORGANIZATION_TABS, type OrganizationTab } from './organization-tabs.ts';

const route = getRouteApi('/identity/organizations/$handle');

/** An organization's public page; its members can also manage it here. */
export function OrganizationPage() {
  const { handle } = route.useParams();
  const { visitor } = route.useRouteContext();
  const [profile] = trpc.organizations.publicProfile.useSuspenseQuery({ handle });
  return (
    <VisitorFrame visitor={visitor} organizationId={profile.membership?.organization_id}>
      <OrganizationHead profile={profile} />
      {profile.membership && (
        <MemberPart profile={profile} organizationId={profile.membership.organization_id} />
      )}
    </VisitorFrame>
  );
}

function MemberPart({ profile, organizationId }: { profile: PublicProfile; organizationId: string }) {
  const [memberships] = trpc.organizations.list.useSuspenseQuery();
  const membership = memberships.find((entry) => entry.organization.id === organizationId);
  if (!membership) return <MembershipEnded />;
  return (
    <>
      <Tabs handle={profile.handle} />
      <TabContent membership={membership} />
    </>
  );
}

/** The membership ended while the page was open: the public page takes its place. */
function MembershipEnded() {
  const utils = trpc.useUtils();
  useEffect(() => void utils.organizations.publicProfile.invalidate(), [utils]);
  return null;
}

function Tabs({ handle }: { handle: string }) {
  const { t } = useLingui();
  const names: Record<OrganizationTab, string> = {
    about: t`About`,
    members: t`Members`,
    invitations: t`Invitations`,
  };
  return (
    <nav className={classes.tabs} aria-label={t`Organization`}>
      {ORGANIZATION_TABS.map((tab) => (
        <Link
          key={tab}
          to="/identity/organizations/$handle"
          params={{ handle }}
          search={tab === 'about' ? {} : { tab }}
          className={classes.tab}
          // The link of the first tab has no parameter, so it would match every other address.
          activeOptions={{ exact: tab === 'about', includeSearch: true }}
          resetScroll={false}
        >
          {names[tab]}
        </Link>
      ))}
    </nav>
  );
}

function TabContent({ membership }: { membership: Membership }) {
  const { i18n } = useLingui();
  const { tab = 'about' } = route.useSearch();
  const { suspended_at: suspendedAt, suspension_reason: reason } = membership.organization;
  const contents = { about: AboutTab, members: MembersTab, invitations: InvitationsTab };
  const Content = contents[tab];
  return (
    <>
      {suspendedAt && (
        <Alert color="yellow" icon={<IconLock size={18} aria-hidden />} role="note" mb="lg">
          {i18n._(FORESEEN_MESSAGES.organization_suspended)} {reason && <Trans>Reason given: {reason}</Trans>}
        </Alert>
      )}
      <Content membership={membership} />
    </>
  );
}

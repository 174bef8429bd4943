import { Trans } from '@lingui/react/macro';
import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { getRouteApi, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { InvitationPreview } from '#server/services/organizations/schema.ts';
import { Avatar } from '../../../components/avatar/avatar.tsx';
import { ButtonLink } from '../../../components/links.tsx';
import { PublicFrame } from '../public-frame.tsx';
import { signInAddress } from '../sign-in-address.ts';
import classes from './invitation-page.module.css';
import { JoinOrganization } from './join-organization.tsx';
import { PermissionDetails } from './permission-details.tsx';

const route = getRouteApi('/identity/invitations/$token');

/** The page of an invitation's link: what it is, who invites, with which permission, and the next step. */
export function InvitationPage() {
  const { visitor } = route.useRouteContext();
  const { invitation } = route.useLoaderData();
  return (
    <PublicFrame visitor={visitor} width="card">
      {invitation ? (
        <OpenInvitation invitation={invitation} />
      ) : (
        <ClosedInvitation isSignedIn={visitor !== null} />
      )}
    </PublicFrame>
  );
}

function OpenInvitation({ invitation }: { invitation: InvitationPreview }) {
  const { visitor } = route.useRouteContext();
  const { token } = route.useParams();
  const { organization, organization_id: ownId, invited_by: inviter } = invitation;
  const { name } = organization;
  if (ownId !== null) {
    return (
      <InvitationCard
        organization={organization}
        title={
          <Trans>
            You already belong to <bdi>{name}</bdi>
          </Trans>
        }
      >
        <Text size="sm" c="dimmed" ta="center">
          <Trans>The invitation stays open for someone else.</Trans>
        </Text>
        <ButtonLink to="/$orgId" params={{ orgId: ownId }} size="md" fullWidth className={classes.action}>
          <span>
            <Trans>
              Open <bdi>{name}</bdi>
            </Trans>
          </span>
        </ButtonLink>
      </InvitationCard>
    );
  }
  return (
    <InvitationCard
      organization={organization}
      title={
        <Trans>
          Join <bdi>{name}</bdi>
        </Trans>
      }
    >
      <PermissionDetails
        permission={invitation.permission}
        inviter={inviter}
        expiresAt={invitation.expires_at}
      />
      {visitor ? (
        <JoinOrganization token={token} invitation={invitation} visitor={visitor} />
      ) : (
        <SignedOut email={invitation.email} />
      )}
    </InvitationCard>
  );
}

/** The organization with its picture, and below it what the visitor can do. */
function InvitationCard(props: {
  organization: InvitationPreview['organization'];
  title: ReactNode;
  children: ReactNode;
}) {
  const { name, description, avatar_url: avatarUrl } = props.organization;
  return (
    <Card padding="xl">
      <Stack gap="md">
        <Stack gap="xs" align="center" ta="center">
          <Avatar src={avatarUrl} name={name} size={64} radius="lg" />
          <Title order={1} className={classes.words}>
            {props.title}
          </Title>
          {description && (
            <Text size="sm" c="dimmed" className={classes.words} lineClamp={4} dir="auto">
              {description}
            </Text>
          )}
        </Stack>
        {props.children}
      </Stack>
    </Card>
  );
}

/** Both links lead back here; the address of the invitation is suggested. */
function SignedOut({ email }: { email: string | null }) {
  const href = useLocation({ select: (location) => location.href });
  return (
    <Stack gap="sm">
      <Button component="a" href={signInAddress(href, { email })} size="md" fullWidth>
        <Trans>Sign in to join</Trans>
      </Button>
      <Button
        component="a"
        href={signInAddress(href, { email, register: true })}
        variant="default"
        size="md"
        fullWidth
      >
        <Trans>Create an account</Trans>
      </Button>
    </Stack>
  );
}

/** Used, expired, revoked or never created: the page does not reveal which. */
function ClosedInvitation({ isSignedIn }: { isSignedIn: boolean }) {
  return (
    <Card padding="xl">
      <Title order={1} mb="xs">
        <Trans>This invitation is not open</Trans>
      </Title>
      <Text c="dimmed" mb="lg">
        <Trans>
          It has already been used, was revoked or has expired, or the link is incomplete. Ask the person who
          invited you for a new one.
        </Trans>
      </Text>
      <Group>
        {isSignedIn ? (
          <ButtonLink to="/" variant="default">
            <Trans>Go to Dashboard</Trans>
          </ButtonLink>
        ) : (
          <ButtonLink to="/login" variant="default">
            <Trans>Sign in</Trans>
          </ButtonLink>
        )}
      </Group>
    </Card>
  );
}

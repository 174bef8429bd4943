import { Trans } from '@lingui/react/macro';
import { Avatar, Card, Group, Text } from '@mantine/core';
import { initialsOf } from '../../components/initials-of.ts';
import { ButtonLink } from '../../components/links.tsx';
import { useSettings } from '../../use-settings.ts';
import { useUser } from '../organizations/use-organization.ts';

/** Avatar, name and email; a link to the profile page for local accounts. */
export function ProfileCard() {
  const user = useUser();
  const { isIdentityEmbedded } = useSettings();
  const name = user.full_name || user.login;
  return (
    <Card component="section">
      <Group justify="space-between" gap="md">
        <Group gap="md" wrap="nowrap" miw={0}>
          <Avatar src={user.avatar_url} size={56} color="lake" alt="">
            {initialsOf(name)}
          </Avatar>
          <div style={{ minWidth: 0 }}>
            <Text component="h2" fw={600} size="lg" m={0} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {user.email}
            </Text>
          </div>
        </Group>
        {isIdentityEmbedded && (
          <ButtonLink to="/identity/profile" variant="default">
            <Trans>Edit profile</Trans>
          </ButtonLink>
        )}
      </Group>
    </Card>
  );
}

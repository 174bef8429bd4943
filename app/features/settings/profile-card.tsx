import { Trans } from '@lingui/react/macro';
import { Card, Group, Text } from '@mantine/core';
import { Avatar } from '../../components/avatar/avatar.tsx';
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
          <Avatar src={user.avatar_url} name={name} size={56} />
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

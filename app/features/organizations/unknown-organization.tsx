import { Trans } from '@lingui/react/macro';
import { Stack, Text, Title } from '@mantine/core';
import { ButtonLink } from '../../components/links.tsx';
import { useMemberships } from './memberships-provider.tsx';

/** An organization id that does not exist, or is not ours: the two look the same. */
export function UnknownOrganization() {
  const { home } = useMemberships();
  return (
    <Stack align="flex-start" gap="md" maw={560}>
      <Title order={1}>
        <Trans>Unknown Organization</Trans>
      </Title>
      <Text c="dimmed">
        <Trans>This organization does not exist, or you are not a member of it.</Trans>
      </Text>
      <ButtonLink to="/$orgId" params={{ orgId: home.organization.id }} variant="default">
        <Trans>Go to Dashboard</Trans>
      </ButtonLink>
    </Stack>
  );
}

import { Trans } from '@lingui/react/macro';
import { Stack, Text, Title } from '@mantine/core';
import { ButtonLink } from '../../components/links.tsx';

/** An organization id that names nothing, or nothing of ours: the two look the same. */
export function UnknownOrganization() {
  return (
    <Stack align="flex-start" gap="md" p="xl" maw={560} component="main">
      <Title order={1}>
        <Trans>Unknown Organization</Trans>
      </Title>
      <Text c="dimmed">
        <Trans>This organization does not exist, or you are not a member of it.</Trans>
      </Text>
      <ButtonLink to="/" variant="default">
        <Trans>Go to Dashboard</Trans>
      </ButtonLink>
    </Stack>
  );
}

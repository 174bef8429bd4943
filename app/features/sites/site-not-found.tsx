import { Trans } from '@lingui/react/macro';
import { Stack, Text, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { ButtonLink } from '../../components/links.tsx';

/** A site id that names nothing, or nothing of ours: the two look the same. */
export function SiteNotFound() {
  const { orgId } = useParams({ from: '/$orgId' });
  return (
    <Stack align="flex-start" gap="md" maw={560}>
      <Title order={1}>
        <Trans>Site not found</Trans>
      </Title>
      <Text c="dimmed">
        <Trans>It may have been deleted, or it belongs to another organization.</Trans>
      </Text>
      <ButtonLink to="/$orgId/sites" params={{ orgId }} variant="default">
        <Trans>Back to Sites</Trans>
      </ButtonLink>
    </Stack>
  );
}

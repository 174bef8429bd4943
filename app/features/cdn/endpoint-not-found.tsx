import { Trans } from '@lingui/react/macro';
import { Stack, Text, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { ButtonLink } from '../../components/links.tsx';

/** An endpoint id that names nothing, or nothing of ours: the two look the same. */
export function EndpointNotFound() {
  const { orgId } = useParams({ from: '/$orgId' });
  return (
    <Stack align="flex-start" gap="md" maw={560}>
      <Title order={1}>
        <Trans>CDN endpoint not found</Trans>
      </Title>
      <Text c="dimmed">
        <Trans>It may have been deleted, or it belongs to another organization.</Trans>
      </Text>
      <ButtonLink to="/$orgId/cdn" params={{ orgId }} variant="default">
        <Trans>Back to CDN</Trans>
      </ButtonLink>
    </Stack>
  );
}

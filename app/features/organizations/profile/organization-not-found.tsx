import { Trans } from '@lingui/react/macro';
import { Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { ButtonLink } from '../../../components/links.tsx';
import { VisitorFrame } from '../../frame/visitor-frame.tsx';

const route = getRouteApi('/identity/organizations/$handle');

/** A handle that no organization has, or no longer has. */
export function OrganizationNotFound() {
  const { visitor } = route.useRouteContext();
  return (
    <VisitorFrame visitor={visitor}>
      <Stack align="flex-start" gap="md" maw={560}>
        <Title order={1}>
          <Trans>Organization not found</Trans>
        </Title>
        <Text c="dimmed">
          <Trans>
            No organization has this short name. It may have been changed, or the organization may have been
            deleted.
          </Trans>
        </Text>
        <ButtonLink to="/" variant="default">
          <Trans>Go to Dashboard</Trans>
        </ButtonLink>
      </Stack>
    </VisitorFrame>
  );
}

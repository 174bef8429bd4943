import { Trans } from '@lingui/react/macro';
import { Stack, Text, Title } from '@mantine/core';
import { ButtonLink } from '../links.tsx';
import { PageLandmark } from './page-landmark.tsx';

/** The page of an unknown address. */
export function NotFoundScreen() {
  return (
    <PageLandmark>
      <Stack align="flex-start" gap="md" maw={560}>
        <Title order={1}>
          <Trans>Page not found</Trans>
        </Title>
        <Text c="dimmed">
          <Trans>
            There is nothing at this address. The link may be out of date, or the page may have been deleted.
          </Trans>
        </Text>
        <ButtonLink to="/" variant="default">
          <Trans>Go to Dashboard</Trans>
        </ButtonLink>
      </Stack>
    </PageLandmark>
  );
}

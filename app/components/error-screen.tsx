import { Trans } from '@lingui/react/macro';
import { Button, Code, Stack, Text, Title } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { readError } from '../i18n/read-error.ts';
import { useErrorMessage } from '../i18n/use-error-message.ts';

/** What a page shows when it could not be loaded: what happened, and Retry. */
export function ErrorScreen({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const describe = useErrorMessage();
  const requestId = readError(error)?.request_id;
  return (
    <Stack align="flex-start" gap="md" p="xl" maw={560} role="alert">
      <Title order={1}>
        <Trans>This page could not be loaded</Trans>
      </Title>
      <Text c="dimmed">{describe(error)}</Text>
      {requestId && (
        <Text size="sm" c="dimmed">
          <Trans>
            Request id: <Code>{requestId}</Code>
          </Trans>
        </Text>
      )}
      <Button
        onClick={() => {
          reset();
          void router.invalidate();
        }}
      >
        <Trans>Retry</Trans>
      </Button>
    </Stack>
  );
}

import { Trans } from '@lingui/react/macro';
import { Button, Code, Stack, Text, Title } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { isRetriable, readError } from '../i18n/read-error.ts';
import { useErrorMessage } from '../i18n/use-error-message.ts';
import { useServerBack } from './server-watch.ts';

/**
 * Shown when a page could not be loaded: what happened, and Retry. It recovers automatically once the server
 * is back.
 */
export function ErrorScreen({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const describe = useErrorMessage();
  const requestId = readError(error)?.request_id;
  const retry = () => {
    reset();
    void router.invalidate();
  };
  useServerBack(isRetriable(error), retry);
  return (
    <Stack align="flex-start" gap="md" p="xl" maw={560} role="alert">
      <Title order={1}>
        <Trans>This page could not be loaded</Trans>
      </Title>
      <Text c="dimmed">{describe(error)}</Text>
      {requestId && (
        <Text size="sm" c="dimmed">
          <Trans>
            Request ID: <Code>{requestId}</Code>
          </Trans>
        </Text>
      )}
      <Button onClick={retry}>
        <Trans>Retry</Trans>
      </Button>
    </Stack>
  );
}

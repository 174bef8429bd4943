import { Trans } from '@lingui/react/macro';
import { Code, Stack, Text, Title } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { lookForUpdate } from '../../console-update.ts';
import { isRetriable, readError } from '../../i18n/errors/read-error.ts';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { hasUnsavedWork } from '../forms/unsaved-work.ts';
import { useServerBack } from '../lazy-parts/server-watch.ts';
import { RetryButton } from '../retry-button.tsx';
import { PageLandmark } from './page-landmark.tsx';

/** A page that fails sooner than this would fail again: another machine may still have the earlier program. */
const LOADED_MS = 10_000;

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
  useEffect(() => {
    // What an earlier page cannot read may be the response of a newer server.
    void lookForUpdate().then((isUpdated) => {
      // The page was left already: another one has nothing to lose.
      if (isUpdated && performance.now() > LOADED_MS && !hasUnsavedWork()) window.location.reload();
    });
  }, []);
  useServerBack(isRetriable(error), retry);
  return (
    <PageLandmark>
      <Stack align="flex-start" gap="md" maw={560} role="alert">
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
        <RetryButton onRetry={retry} />
      </Stack>
    </PageLandmark>
  );
}

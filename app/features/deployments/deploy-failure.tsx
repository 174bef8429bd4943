import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { CallError } from '../../call-error.ts';
import { isRetriable, isUnreachable, readError } from '../../i18n/errors/read-error.ts';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import type { RunningStep } from './use-deploy.ts';

/**
 * What stopped a deploy, and Retry, which continues with what is still missing. An unreachable server is
 * waited for.
 */
export function DeployFailure(props: {
  error: unknown;
  during: RunningStep;
  onRetry: () => void;
  onDismiss: () => void;
}) {
  const { error, during, onRetry, onDismiss } = props;
  const { t } = useLingui();
  const describe = useErrorMessage();
  const titles: Record<RunningStep, string> = {
    reading: t`The folder could not be read`,
    hashing: t`The files could not be read`,
    uploading: t`The upload stopped`,
    publishing: t`The version could not be published`,
  };
  const isBeforeUpload = during === 'reading' || during === 'hashing';
  const isRefusal = readError(error) !== null;
  // If it fails before the upload without a call to the server, the browser itself could not read.
  const isLocal = !isRefusal && isBeforeUpload && !(error instanceof CallError);
  const isAway = !isLocal && isRetriable(error);
  const titleOfRefusal = isRefusal && isBeforeUpload ? t`These files cannot be deployed` : titles[during];
  const title = !isLocal && isUnreachable(error) ? t`The server could not be reached` : titleOfRefusal;
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} aria-hidden />} title={title} role="alert">
      <Stack gap="sm">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {isLocal ? (
            <Trans>A file was changed or removed while it was being read. Choose the folder again.</Trans>
          ) : (
            describe(error)
          )}{' '}
          <Trans>The live site is untouched.</Trans>{' '}
          {isAway && (
            <Trans>
              Your selection is kept: the deploy continues automatically once the server responds.
            </Trans>
          )}
        </Text>
        <Group gap="xs">
          {(isAway || !isBeforeUpload) && (
            <Button size="xs" onClick={onRetry}>
              <Trans>Retry</Trans>
            </Button>
          )}
          <Button size="xs" variant="default" onClick={onDismiss}>
            <Trans>Dismiss</Trans>
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

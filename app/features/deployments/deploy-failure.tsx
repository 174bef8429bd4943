import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { readError } from '../../i18n/read-error.ts';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import type { RunningStep } from './use-deploy.ts';

/** What stopped a deploy, and Retry, which goes on with what is still missing. */
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
  // What the server did not refuse before the upload, the browser itself could not read.
  const isLocal = !isRefusal && isBeforeUpload;
  const title = isRefusal && isBeforeUpload ? t`These files cannot be deployed` : titles[during];
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} aria-hidden />} title={title} role="alert">
      <Stack gap="sm">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {isLocal ? (
            <Trans>A file has changed or gone while it was read. Choose the folder again.</Trans>
          ) : (
            describe(error)
          )}{' '}
          <Trans>The live site is untouched.</Trans>
        </Text>
        <Group gap="xs">
          {!isBeforeUpload && (
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

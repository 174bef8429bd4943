import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { CopyLine } from '../../components/copying/copy-line.tsx';
import { useArrival } from '../../components/focus/use-arrival.ts';

/** The signing secret: the only time that it is shown. */
export function SecretBanner(props: { secret: string; onCopied: () => void; onDismiss: () => void }) {
  const { secret, onCopied, onDismiss } = props;
  const { t } = useLingui();
  const banner = useArrival();
  return (
    <Alert
      ref={banner}
      role="status"
      color="green"
      icon={<IconCircleCheck size={20} />}
      title={<Trans>The signing secret</Trans>}
      styles={{ wrapper: { minWidth: 0 }, body: { minWidth: 0 } }}
    >
      <Stack gap="sm" align="stretch">
        <Text size="sm">
          <Trans>
            Copy it now: it is shown only once. Your receiver uses it to verify that events come from here.
          </Trans>
        </Text>
        <CopyLine value={secret} label={t`Copy secret`} onCopied={onCopied} />
        <Button variant="default" onClick={onDismiss} style={{ alignSelf: 'flex-start' }}>
          <Trans>Dismiss</Trans>
        </Button>
      </Stack>
    </Alert>
  );
}

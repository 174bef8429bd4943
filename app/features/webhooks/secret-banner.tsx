import { Trans, useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { CopyLine } from '../../components/copying/copy-line.tsx';
import { MadeBanner } from '../../components/notifications/made-banner.tsx';

/** The signing secret: the only time that it is shown. */
export function SecretBanner(props: { secret: string; onCopied: () => void; onDismiss: () => void }) {
  const { secret, onCopied, onDismiss } = props;
  const { t } = useLingui();
  return (
    <MadeBanner title={<Trans>The signing secret</Trans>} onDismiss={onDismiss}>
      <Text size="sm">
        <Trans>
          Copy it now: it is shown only once. Your receiver uses it to verify that events come from here.
        </Trans>
      </Text>
      <CopyLine value={secret} label={t`Copy secret`} onCopied={onCopied} />
    </MadeBanner>
  );
}

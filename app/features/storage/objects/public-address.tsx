import { Trans, useLingui } from '@lingui/react/macro';
import { Stack, Text, Title } from '@mantine/core';
import { CopyLine } from '../../../components/copying/copy-line.tsx';

/** Where anyone reads an object of a public bucket. */
export function PublicAddress({ url }: { url: string }) {
  const { t } = useLingui();
  return (
    <Stack component="section" gap="xs">
      <Title order={3} size="sm">
        <Trans>Public address</Trans>
      </Title>
      <Text size="sm" c="dimmed">
        <Trans>The bucket is public: anyone can read this object here.</Trans>
      </Text>
      <CopyLine value={url} label={t`Copy the public address`} />
    </Stack>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { Stack, Text, Title } from '@mantine/core';
import { CopyLine } from '../../../components/copy-line.tsx';
import { useSettings } from '../../../use-settings.ts';

/** Where anyone reads an object of a public bucket. */
export function PublicAddress({ bucketName, objectKey }: { bucketName: string; objectKey: string }) {
  const { t } = useLingui();
  const { s3Url } = useSettings();
  const path = objectKey.split('/').map(encodeURIComponent).join('/');
  return (
    <Stack component="section" gap="xs">
      <Title order={3} size="sm">
        <Trans>Public address</Trans>
      </Title>
      <Text size="sm" c="dimmed">
        <Trans>The bucket is public: anyone can read this object here.</Trans>
      </Text>
      <CopyLine value={`${s3Url}/${bucketName}/${path}`} label={t`Copy the public address`} />
    </Stack>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { CopyLine } from '../../../components/copying/copy-line.tsx';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { useBucketParams } from './use-bucket-params.ts';

const HOUR = 3_600;

/** Creates a link with which anyone may read the object until it expires. */
export function ShareForm({ objectKey }: { objectKey: string }) {
  const { t, i18n } = useLingui();
  const ofBucket = useBucketParams();
  const describe = useErrorMessage();
  const share = trpc.storage.shareObject.useMutation();
  const [seconds, setSeconds] = useState(24 * HOUR);
  const choices = [
    { value: String(HOUR), label: t`1 hour` },
    { value: String(24 * HOUR), label: t`1 day` },
    { value: String(7 * 24 * HOUR), label: t`7 days` },
  ];
  const result = useRef<HTMLDivElement>(null);
  // It may be below the end of the panel.
  useEffect(() => {
    if (share.data || share.error) result.current?.scrollIntoView({ block: 'nearest' });
  }, [share.data, share.error]);
  const reason = usePermissionReason()('object.share');
  const create = () => share.mutate({ ...ofBucket, key: objectKey, expires_in_seconds: seconds });
  const until =
    share.data && formatDate(share.data.expires_at, i18n.locale, { dateStyle: 'long', timeStyle: 'short' });
  return (
    <Stack component="section" gap="xs">
      <Title order={3} size="sm">
        <Trans context="object">Share</Trans>
      </Title>
      <Text size="sm" c="dimmed">
        <Trans>
          Anyone with the link can read this object until it expires, as long as you belong to the
          organization.
        </Trans>
      </Text>
      <Group gap="xs" align="flex-end">
        <NativeSelect
          label={t`The link works for`}
          data={choices}
          value={String(seconds)}
          onChange={({ currentTarget }) => {
            setSeconds(Number(currentTarget.value));
            share.reset();
          }}
        />
        <ReasonedAction reason={reason} onAct={create}>
          {(action) => (
            <Button variant="default" loading={share.isPending} {...action}>
              <Trans>Create link</Trans>
            </Button>
          )}
        </ReasonedAction>
      </Group>
      {share.error && (
        <Alert ref={result} color="red" role="alert">
          {describe(share.error)}
        </Alert>
      )}
      {share.data && (
        <div ref={result} role="status">
          <CopyLine value={share.data.url} label={t`Copy the link`} />
          <Text size="xs" c="dimmed" mt={4}>
            <Trans>It works until {until} UTC.</Trans>
          </Text>
        </div>
      )}
    </Stack>
  );
}

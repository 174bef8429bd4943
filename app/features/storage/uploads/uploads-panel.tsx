import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Card, CloseButton, Group, Progress, Text } from '@mantine/core';
import { useBlocker, useParams } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { AnchorLink } from '../../../components/links.tsx';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import type { KeptUploads } from './kept-uploads.ts';
import type { QueuedUpload } from './upload-queue.ts';
import { totalsOf } from './upload-totals.ts';
import classes from './uploads-panel.module.css';

const NONE: readonly QueuedUpload[] = [];

/** How far uploads to buckets are whose pages are not the one that is open. */
export default function UploadsPanel({ kept }: { kept: readonly KeptUploads[] }) {
  const { bucketId } = useParams({ strict: false });
  return (
    <div className={classes.panel}>
      {kept.map((uploads) => (
        <BucketUploads key={uploads.bucketId} uploads={uploads} isShown={uploads.bucketId !== bucketId} />
      ))}
    </div>
  );
}

function BucketUploads({ uploads, isShown }: { uploads: KeptUploads; isShown: boolean }) {
  const { t, i18n } = useLingui();
  const { queue, organizationId, bucketId, bucketName } = uploads;
  const list = useSyncExternalStore(queue.subscribe, queue.snapshot, () => NONE);
  const { count, done, percent, isBusy, stuck, ...bytes } = totalsOf(list);
  // They outlive every page of the console, but not the console itself.
  useBlocker({ disabled: !isBusy, enableBeforeUnload: isBusy, shouldBlockFn: () => false });
  if (!isShown || count === 0) return null;
  const title = t`Uploads to ${bucketName}`;
  const [sentBytes, allBytes] = [bytes.sentBytes, bytes.allBytes].map((size) =>
    formatBytes(size, i18n.locale),
  );
  return (
    <Card component="section" padding="sm" shadow="md" withBorder aria-label={title}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <AnchorLink
          to="/$orgId/storage/$bucketId"
          params={{ orgId: organizationId, bucketId }}
          size="sm"
          fw={550}
          className={classes.name}
        >
          {title}
        </AnchorLink>
        {done === count && (
          <CloseButton size="sm" aria-label={t`Close`} title={t`Close`} onClick={queue.clearDone} />
        )}
      </Group>
      <Text size="xs" c="dimmed" mb={6}>
        <span role="status">{t`${plural(count, { one: `${done} of # file`, other: `${done} of # files` })}`}</span>{' '}
        <Trans>
          · {sentBytes} of {allBytes}
        </Trans>
      </Text>
      <Progress value={percent} size="sm" aria-label={title} />
      {stuck > 0 && (
        <Text size="xs" c="red" mt={6} role="alert">
          {t`${plural(stuck, { one: '# file needs attention', other: '# files need attention' })}`}
        </Text>
      )}
    </Card>
  );
}

import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { ActionIcon, Button, Card, Group, Progress, Text } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { revealDirection } from '../../../i18n/reveal-direction.ts';
import { useUploadFailure } from './upload-failure.ts';
import classes from './upload-list.module.css';
import type { QueuedUpload, UploadStatus } from './upload-queue.ts';
import { totalsOf } from './upload-totals.ts';
import type { Uploads } from './use-uploads.ts';

/** How many of a long list are shown: first those that need attention. */
const SHOWN_MAX = 50;
const RANK: Record<UploadStatus, number> = {
  exists: 0,
  failed: 0,
  sending: 1,
  paused: 2,
  waiting: 3,
  done: 4,
};

/** The uploads to this page's bucket: their progress and actions. */
export function UploadList({ uploads, prefix }: { uploads: Uploads; prefix: string }) {
  const { t, i18n } = useLingui();
  const { list } = uploads;
  if (list.length === 0) return null;
  const { count, done, percent, ...bytes } = totalsOf(list);
  const clashes = list.filter(({ status }) => status === 'exists');
  const shown = list.toSorted((one, other) => RANK[one.status] - RANK[other.status]).slice(0, SHOWN_MAX);
  const more = count - shown.length;
  const [sentBytes, allBytes] = [bytes.sentBytes, bytes.allBytes].map((size) =>
    formatBytes(size, i18n.locale),
  );
  const summary = t`${plural(count, { one: `${done} of # file`, other: `${done} of # files` })}`;
  return (
    <Card component="section" mb="lg" padding="md" aria-label={t`Uploads`}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Text size="sm" fw={550}>
          <span role="status">{summary}</span>
          <Text span c="dimmed" fw={400}>
            {' '}
            <Trans>
              · {sentBytes} of {allBytes}
            </Trans>
          </Text>
        </Text>
        <Group gap="xs">
          {clashes.length > 1 && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                for (const { id } of clashes) uploads.replace(id);
              }}
            >
              <Trans>Replace all</Trans>
            </Button>
          )}
          {done > 0 && (
            <Button size="compact-sm" variant="default" onClick={uploads.clearDone}>
              <Trans>Clear finished</Trans>
            </Button>
          )}
        </Group>
      </Group>
      <Progress value={percent} size="sm" aria-label={t`Uploads`} />
      <ul className={classes.list}>
        {shown.map((upload) => (
          <UploadRow key={upload.id} upload={upload} uploads={uploads} prefix={prefix} />
        ))}
      </ul>
      {more > 0 && (
        <Text size="xs" c="dimmed" mt="xs">
          {t`${plural(more, { one: 'and # more', other: 'and # more' })}`}
        </Text>
      )}
    </Card>
  );
}

function UploadRow({ upload, uploads, prefix }: { upload: QueuedUpload; uploads: Uploads; prefix: string }) {
  const { t } = useLingui();
  const { id, key, status } = upload;
  const name = revealDirection(key.startsWith(prefix) ? key.slice(prefix.length) : key);
  return (
    <li className={classes.row} data-upload={key}>
      <span className={classes.name} title={revealDirection(key)}>
        {name}
      </span>
      <UploadState upload={upload} />
      <span className={classes.actions}>
        {status === 'exists' && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => uploads.replace(id)}
            aria-label={t`Replace ${name}`}
          >
            <Trans>Replace</Trans>
          </Button>
        )}
        {status === 'sending' && (
          <ActionIcon onClick={() => uploads.pause(id)} aria-label={t`Pause ${name}`} title={t`Pause`}>
            <IconPlayerPause size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        )}
        {(status === 'paused' || status === 'failed') && (
          <ActionIcon onClick={() => uploads.resume(id)} aria-label={t`Resume ${name}`} title={t`Resume`}>
            <IconPlayerPlay size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        )}
        {status !== 'done' && (
          <ActionIcon onClick={() => uploads.cancel(id)} aria-label={t`Cancel ${name}`} title={t`Cancel`}>
            <IconX size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        )}
      </span>
    </li>
  );
}

function UploadState({ upload }: { upload: QueuedUpload }) {
  const { i18n } = useLingui();
  const failureWords = useUploadFailure();
  const { status, sent, file, failure } = upload;
  const size = formatBytes(file.size, i18n.locale);
  const percent = i18n.number(file.size === 0 ? 0 : Math.floor((sent / file.size) * 100) / 100, {
    style: 'percent',
  });
  switch (status) {
    case 'waiting':
      return (
        <span className={classes.state}>
          <Trans>Waiting</Trans>
        </span>
      );
    case 'sending':
      return <span className={classes.state}>{percent}</span>;
    case 'paused':
      return (
        <span className={classes.state}>
          <Trans>Paused at {percent}</Trans>
        </span>
      );
    case 'done':
      return <span className={classes.state}>{size}</span>;
    case 'exists':
      return (
        <span className={classes.problem}>
          <Trans>An object with this name already exists.</Trans>
        </span>
      );
    case 'failed':
      return (
        <span className={classes.problem} role="alert">
          {failureWords(failure ?? 'unknown')}
        </span>
      );
  }
}

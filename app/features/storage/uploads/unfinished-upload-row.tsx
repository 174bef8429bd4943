import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { UPLOAD_ACTIVE_MS } from '#server/services/storage/rules.ts';
import type { UnfinishedUpload } from '#server/services/storage/schema.ts';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { RowBadge } from '../../../components/lists/row-badge.tsx';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { revealDirection } from '../../../i18n/reveal-direction.ts';
import classes from './unfinished-uploads.module.css';
import type { QueuedUpload } from './upload-queue.ts';

/** Whether an upload goes on: in this tab, or by a client of which a part has just come. */
export type UploadProgress = 'tab' | 'active' | 'idle';

/** An upload that nobody has completed: what it stores, who began it and when, and when it is removed. */
export function UnfinishedUploadRow(props: {
  upload: UnfinishedUpload;
  /** The same in the list of this tab. */
  queued: QueuedUpload | null;
  /** Whether this browser has started it, and continues it when its file is chosen again. */
  isOwn: boolean;
  /** Epoch milliseconds at which the list was read. */
  readAt: number;
  reason: string | null;
  isPending: boolean;
  onAbandon: (progress: UploadProgress) => void;
}) {
  const { upload, queued, isOwn, readAt, reason, isPending, onAbandon } = props;
  const { t, i18n } = useLingui();
  const { part_count, stored_bytes, last_part_at, started_at, expires_at } = upload;
  const key = revealDirection(upload.key);
  const lastAt = new Date(last_part_at ?? started_at).getTime();
  const isActive = readAt - lastAt < UPLOAD_ACTIVE_MS;
  const progress = queued !== null ? 'tab' : isActive ? 'active' : 'idle';
  const isOverdue = new Date(expires_at).getTime() <= readAt;
  return (
    <li className={classes.row} data-upload={upload.key}>
      <span className={classes.name}>
        <span title={key}>{key}</span>
        {progress === 'tab' && <RowBadge colour="lake">{t`In this tab`}</RowBadge>}
        {progress === 'active' && <RowBadge colour="lake">{t`Active recently`}</RowBadge>}
      </span>
      <span className={classes.size}>
        {part_count === 0 ? (
          <Trans>no part yet</Trans>
        ) : (
          <>
            {formatBytes(stored_bytes, i18n.locale)}
            {' · '}
            {t`${plural(part_count, { one: '# part', other: '# parts' })}`}
          </>
        )}
      </span>
      <span className={classes.facts}>
        <Began upload={upload} />
        {' · '}
        {isOverdue ? (
          <Trans>will be removed within the hour</Trans>
        ) : (
          <Trans>
            will be removed <TimeAgo instant={expires_at} />
          </Trans>
        )}
        {isOwn && queued === null && (
          <>
            {' · '}
            <Trans>to continue it, choose the same file again</Trans>
          </>
        )}
      </span>
      <span className={classes.actions}>
        <ReasonedAction reason={reason} onAct={() => onAbandon(progress)}>
          {(action) => (
            <Button
              variant="default"
              size="compact-sm"
              loading={isPending}
              aria-label={t`Abandon the upload of ${key}`}
              {...action}
            >
              <Trans>Abandon</Trans>
            </Button>
          )}
        </ReasonedAction>
      </span>
    </li>
  );
}

function Began({ upload: { started_by, started_at } }: { upload: UnfinishedUpload }) {
  const began = <TimeAgo instant={started_at} />;
  if (started_by === null) return <Trans>Started {began}</Trans>;
  const { kind, name } = started_by;
  if (name === null) return <Trans>Started {began} in the console</Trans>;
  if (kind === 'person') {
    return (
      <Trans>
        Started {began} in the console, by {name}
      </Trans>
    );
  }
  return (
    <Trans>
      Started {began} with the credential {name}
    </Trans>
  );
}

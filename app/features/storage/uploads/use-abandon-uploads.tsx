import { plural } from '@lingui/core/macro';
import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { useState } from 'react';
import type { UnfinishedUpload, UploadTotals } from '#server/services/storage/schema.ts';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { askConfirmation } from '../../../components/dialogs/confirm-host.tsx';
import { notifyFailure, notifySuccess } from '../../../components/notifications/notify.ts';
import { isNotFound } from '../../../i18n/errors/read-error.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { trpc } from '../../../trpc.ts';
import { fileNameOf } from '../objects/key-names.ts';
import { useBucketParams } from '../objects/use-bucket-params.ts';
import type { UploadProgress } from './unfinished-upload-row.tsx';
import type { Uploads } from './use-uploads.ts';

/** What is pending while those older than a day are being abandoned. */
export const IDLE = 'idle';

/** Returns functions that end uploads which nobody has completed, after asking; `pending` is the id of the one that is being ended. */
export function useAbandonUploads(uploads: Uploads) {
  const { t, i18n } = useLingui();
  const ofBucket = useBucketParams();
  const utils = trpc.useUtils();
  const describe = useErrorMessage();
  const [pending, setPending] = useState<string | null>(null);

  const run = async (what: string, work: () => Promise<void>) => {
    setPending(what);
    try {
      await work();
    } catch (error) {
      notifyFailure(describe(error));
    } finally {
      // Until the list has been read again, what was abandoned is still in it.
      await utils.storage.invalidate();
      setPending(null);
    }
  };

  /** @param queuedId of the upload in the list of this tab, which stops sending it */
  const abandon = async (
    upload: UnfinishedUpload,
    queuedId: number | undefined,
    progress: UploadProgress,
  ): Promise<void> => {
    const name = fileNameOf(upload.key);
    const isSure = await askConfirmation({
      title: t`Abandon the upload of ${name}?`,
      body: <AbandonWords upload={upload} progress={progress} />,
      confirm: t`Abandon`,
      isDestructive: true,
    });
    if (!isSure) return;
    await run(upload.id, async () => {
      if (queuedId !== undefined) uploads.cancel(queuedId);
      try {
        await utils.client.storage.abandonUpload.mutate({ ...ofBucket, upload_id: upload.id });
      } catch (error) {
        // The tab has abandoned it already, as it does what is cancelled.
        if (queuedId === undefined || !isNotFound(error)) throw error;
      }
      notifySuccess(t`The upload of ${name} was abandoned`);
    });
  };

  const abandonIdle = async ({ idle_upload_count: count, ...totals }: UploadTotals): Promise<void> => {
    const size = formatBytes(totals.idle_stored_bytes, i18n.locale);
    const isSure = await askConfirmation({
      title: t`${plural(count, { one: 'Abandon # upload?', other: 'Abandon # uploads?' })}`,
      body: (
        <Plural
          value={count}
          one={`It started more than a day ago, and no part has arrived for a day, but it may be paused in a browser. Its ${size} will be deleted, and its client has to start over. This cannot be undone.`}
          other={`They started more than a day ago, and no part has arrived for a day, but some may be paused in a browser. Their ${size} will be deleted, and their clients have to start over. This cannot be undone.`}
        />
      ),
      confirm: t`Abandon`,
      isDestructive: true,
    });
    if (!isSure) return;
    await run(IDLE, async () => {
      await utils.client.storage.abandonIdleUploads.mutate(ofBucket);
    });
  };
  return { pending, abandon, abandonIdle };
}

/** Says what is lost, and that somebody may be sending it. */
function AbandonWords({ upload, progress }: { upload: UnfinishedUpload; progress: UploadProgress }) {
  const { i18n } = useLingui();
  const { started_by, stored_bytes, last_part_at, started_at } = upload;
  const size = formatBytes(stored_bytes, i18n.locale);
  const lastAt = <TimeAgo instant={last_part_at ?? started_at} />;
  return (
    <>
      {progress === 'tab' && (
        <Text size="sm" mb="xs" fw={550}>
          <Trans>It is in this tab’s list of uploads, and will be cancelled there.</Trans>
        </Text>
      )}
      {progress === 'active' && (
        <Text size="sm" mb="xs" fw={550}>
          {last_part_at === null ? (
            <Trans>It may still be in progress: it started {lastAt}.</Trans>
          ) : (
            <Trans>It may still be in progress: its last part arrived {lastAt}.</Trans>
          )}
        </Text>
      )}
      {progress !== 'tab' && started_by?.kind === 'person' && (
        <Text size="sm" mb="xs">
          <Trans>
            It was started in a browser, which could resume it where it stopped. After this, it has to start
            over.
          </Trans>
        </Text>
      )}
      {stored_bytes > 0 && <Trans>Its {size} will be deleted.</Trans>} <Trans>This cannot be undone.</Trans>
    </>
  );
}

import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, Card, Group, Progress, Skeleton, Text } from '@mantine/core';
import { useEffect } from 'react';
import type { Bucket, UploadTotals } from '#server/services/storage/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { LoadMorePages } from '../../../components/lists/load-more.tsx';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { trpc } from '../../../trpc.ts';
import { useBucketParams } from '../objects/use-bucket-params.ts';
import { rememberedUploads } from './remembered-uploads.ts';
import { UnfinishedUploadRow } from './unfinished-upload-row.tsx';
import classes from './unfinished-uploads.module.css';
import { IDLE, useAbandonUploads } from './use-abandon-uploads.tsx';
import type { Uploads } from './use-uploads.ts';

const PAGE = 20;
/** How often the page looks whether clients have begun or completed some. */
const REFRESH_MS = 15_000;
/** How often the progress is read while a job abandons uploads. */
const PROGRESS_MS = 1_000;

/** The uploads in parts that nobody has completed, whichever client began them, in all states of the list, with actions to end them. */
export default function UnfinishedUploads(props: {
  bucket: Bucket;
  /** Why nothing can be abandoned. */
  reason: string | null;
  /** Those of this tab. */
  uploads: Uploads;
}) {
  const { bucket, reason, uploads } = props;
  const { t, i18n } = useLingui();
  const ofBucket = useBucketParams();
  const utils = trpc.useUtils();
  const describe = useErrorMessage();
  const abandonment = useAbandonUploads(uploads);
  const totals = trpc.storage.getUploadTotals.useQuery(ofBucket, {
    refetchInterval: ({ state }) => (state.data?.abandoning ? PROGRESS_MS : REFRESH_MS),
    refetchOnMount: 'always',
  });
  const list = useUploadPages();
  const isAbandoning = Boolean(totals.data?.abandoning);
  // The list is read again when what it comes to has changed, and not with every step of the job.
  const listed =
    totals.data && (isAbandoning ? 'abandoning' : `${totals.data.upload_count} ${totals.data.stored_bytes}`);
  useEffect(() => {
    if (listed === undefined) return;
    return () => void utils.storage.listUploads.invalidate();
  }, [listed, utils]);
  const failed = [totals, list].find(({ isError, data }) => isError && data === undefined);
  const retry = () => Promise.all([totals.refetch(), list.refetch()]);
  const idle = totals.data?.idle_upload_count ?? 0;
  const idleCount = i18n.number(idle);

  return (
    <SectionCard
      title={<Trans>Unfinished uploads</Trans>}
      description={
        <Trans>
          Uploads in parts that a client started but has not completed. What they store counts, although it is
          not in the list of objects. Each one is removed a week after it started.
        </Trans>
      }
      action={
        idle > 0 &&
        !isAbandoning && (
          <ReasonedAction
            reason={reason}
            onAct={() => totals.data && void abandonment.abandonIdle(totals.data)}
          >
            {(action) => (
              <Button variant="default" size="xs" loading={abandonment.pending === IDLE} {...action}>
                <Trans>Abandon {idleCount} older than a day</Trans>
              </Button>
            )}
          </ReasonedAction>
        )
      }
    >
      {failed ? (
        <ErrorNotice onRetry={retry}>{describe(failed.error)}</ErrorNotice>
      ) : totals.data === undefined || list.isPending ? (
        <div role="status" aria-busy aria-label={t`Loading`}>
          <Skeleton height={14} width={180} maw="100%" />
        </div>
      ) : rowsOf(list).length === 0 ? (
        <Text size="sm" c="dimmed" role="status">
          <Trans>There are none: every upload is complete.</Trans>
        </Text>
      ) : (
        <>
          <Sums totals={totals.data} />
          {totals.data.abandoning && <AbandoningProgress abandoning={totals.data.abandoning} />}
          <UploadRows
            bucketId={bucket.id}
            list={list}
            reason={reason}
            uploads={uploads}
            abandonment={abandonment}
          />
        </>
      )}
    </SectionCard>
  );
}

type UploadPages = ReturnType<typeof useUploadPages>;

function useUploadPages() {
  return trpc.storage.listUploads.useInfiniteQuery(
    { ...useBucketParams(), limit: PAGE },
    { getNextPageParam: (page) => page.next_cursor ?? undefined },
  );
}

function rowsOf(list: UploadPages) {
  return list.data?.pages.flatMap(({ items }) => items) ?? [];
}

function UploadRows(props: {
  bucketId: string;
  list: UploadPages;
  reason: string | null;
  uploads: Uploads;
  abandonment: ReturnType<typeof useAbandonUploads>;
}) {
  const { list, reason, uploads, abandonment } = props;
  const { t } = useLingui();
  const rows = rowsOf(list);
  const remembered = rememberedUploads(props.bucketId);
  const inThisTab = new Map(
    uploads.list
      .filter(({ status }) => status !== 'done')
      .map((upload) => [remembered.find(upload.key, upload.file), upload] as const),
  );
  return (
    <Card padding={0} withBorder className={classes.card}>
      <ul className={classes.rows} aria-label={t`Unfinished uploads`}>
        {rows.map((upload) => (
          <UnfinishedUploadRow
            key={upload.id}
            upload={upload}
            queued={inThisTab.get(upload.id) ?? null}
            isOwn={remembered.includes(upload.id)}
            readAt={list.dataUpdatedAt}
            reason={reason}
            isPending={abandonment.pending === upload.id}
            onAbandon={(words) => void abandonment.abandon(upload, inThisTab.get(upload.id)?.id, words)}
          />
        ))}
      </ul>
      <LoadMorePages query={list} />
    </Card>
  );
}

function Sums({ totals }: { totals: UploadTotals }) {
  const { i18n } = useLingui();
  const size = formatBytes(totals.stored_bytes, i18n.locale);
  return (
    <Text size="sm" mb="sm" role="status">
      <Plural
        value={totals.upload_count}
        one={`# upload stores ${size}.`}
        other={`# uploads store ${size}.`}
      />
    </Text>
  );
}

function AbandoningProgress({ abandoning }: { abandoning: NonNullable<UploadTotals['abandoning']> }) {
  const { t, i18n } = useLingui();
  const { removed_uploads: removed, upload_total: total } = abandoning;
  const [done, all] = [i18n.number(removed), i18n.number(total)];
  return (
    <Group gap="xs" mb="sm">
      <Text size="xs" c="dimmed" span>
        <Trans>
          Abandoning: {done} of {all}
        </Trans>
      </Text>
      <Progress
        w="100%"
        size="sm"
        value={Math.min(100, (removed / total) * 100)}
        aria-label={t`Abandoning old uploads`}
      />
    </Group>
  );
}

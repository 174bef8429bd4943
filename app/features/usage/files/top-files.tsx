import { Trans, useLingui } from '@lingui/react/macro';
import { Card, Text, Title } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { LoadMore } from '../../../components/lists/load-more.tsx';
import { trpc } from '../../../trpc.ts';
import { StaleFigures } from '../stale-figures.tsx';
import type { OrganizationRange } from '../usage-range.ts';
import { pauseOf } from '../use-usage-overview.ts';
import classes from './top-files.module.css';
import { TOP_FILES, TOP_FILES_MAX, topFilesInput } from './top-files-input.ts';
import { TopFilesSkeleton, TopFilesTable } from './top-files-table.tsx';

/** How often files are counted. */
const COUNTED_MS = 60_000;

interface TopFilesProps {
  range: OrganizationRange;
  /** Bytes that were sent in the range: the shares refer to them. */
  wholeBytes: number;
}

/**
 * A card with the most requested deployed files in a range. Previous files stay, dimmed, while those of another
 * range are loading.
 */
export function TopFiles(props: TopFilesProps) {
  return (
    <Card component="section" padding={0} className={classes.card}>
      <div className={classes.head}>
        <Title order={2}>
          <Trans>Top files</Trans>
        </Title>
        <Text size="sm" c="dimmed" mt={2}>
          <Trans>Deployed files by bandwidth, counted within a minute and kept for 90 days.</Trans>
        </Text>
      </div>
      <Files {...props} />
    </Card>
  );
}

function Files({ range, wholeBytes }: TopFilesProps) {
  const { t } = useLingui();
  const [limit, setLimit] = useState(TOP_FILES);
  const files = trpc.usage.paths.useQuery(topFilesInput(range, limit), {
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pauseOf(state.data, COUNTED_MS),
  });

  if (files.isPending) return <TopFilesSkeleton />;
  if (files.isError && !files.data) {
    return (
      <div className={classes.notice}>
        <ErrorNotice onRetry={files.refetch}>
          <Trans>Failed to load files</Trans>
        </ErrorNotice>
      </div>
    );
  }
  const { paths } = files.data;
  if (paths.length === 0) {
    return (
      <Text c="dimmed" size="sm" ta="center" px="md" pb="xl" pt="md" maw={480} mx="auto">
        <Trans>
          No file was requested in this period. Pages, images and scripts appear here a minute after they are
          loaded.
        </Trans>
      </Text>
    );
  }
  const shown = paths.reduce((sum, file) => sum + file.total_bytes_sent, 0);
  return (
    <StaleFigures isStale={files.isPlaceholderData}>
      <TopFilesTable
        files={paths}
        // Never below the listed files: the two are counted at different times.
        whole={Math.max(shown, wholeBytes)}
        label={t`Top files`}
      />
      <LoadMore
        hasMore={paths.length === TOP_FILES && (limit === TOP_FILES || files.isPlaceholderData)}
        isLoading={files.isPlaceholderData}
        isAutomatic={false}
        onLoad={() => setLimit(TOP_FILES_MAX)}
      />
    </StaleFigures>
  );
}

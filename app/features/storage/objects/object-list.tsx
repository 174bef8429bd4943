import { Trans, useLingui } from '@lingui/react/macro';
import { Card, Text } from '@mantine/core';
import { IconBucket } from '@tabler/icons-react';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { ButtonLink } from '../../../components/links.tsx';
import { EmptyState } from '../../../components/lists/empty-state.tsx';
import { LoadMorePages } from '../../../components/lists/load-more.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { ObjectRowsSkeleton } from './bucket-page-skeleton.tsx';
import classes from './object-list.module.css';
import { ObjectRow } from './object-row.tsx';
import { ObjectToolbar } from './object-toolbar.tsx';
import { useBucketParams } from './use-bucket-params.ts';

/** What is directly below a prefix, in all states of the list, and actions for several items at once. */
export function ObjectList(props: {
  prefix: string;
  search: string;
  /** Why nothing can be deleted. */
  reason: string | null;
  isOver: boolean;
}) {
  const { prefix, search, reason } = props;
  const { t } = useLingui();
  const ofBucket = useBucketParams();
  const describe = useErrorMessage();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const list = trpc.storage.listObjects.useInfiniteQuery(
    { ...ofBucket, prefix: prefix || undefined, search: search || undefined, limit: 100 },
    { getNextPageParam: (page) => page.next_cursor ?? undefined },
  );
  // The marker of the folder itself is not one of its items.
  const rows = (list.data?.pages.flatMap((page) => page.items) ?? []).filter(({ key }) => key !== prefix);

  if (list.isPending) return <ObjectRowsSkeleton />;
  if (list.isError && rows.length === 0) {
    const message = describe(list.error);
    return (
      <ErrorNotice onRetry={list.refetch}>
        <Trans>Error: {message}</Trans>
      </ErrorNotice>
    );
  }
  if (rows.length === 0) {
    return (
      <Card padding={0} className={classes.card} data-over={props.isOver || undefined}>
        {search === '' ? <NoObjects /> : <NothingFound search={search} />}
      </Card>
    );
  }
  const choose = (key: string, isChosen: boolean) =>
    setChosen((before) => {
      const after = new Set(before);
      if (isChosen) after.add(key);
      else after.delete(key);
      return after;
    });
  return (
    <Card padding={0} className={classes.card} data-over={props.isOver || undefined}>
      <ObjectToolbar
        rows={rows}
        chosen={chosen}
        hasMore={list.hasNextPage}
        reason={reason}
        onChoose={(entries) => setChosen(new Set(entries.map(({ key }) => key)))}
      />
      <ul className={classes.rows} aria-label={t`Objects`}>
        {rows.map((entry) => (
          <ObjectRow
            key={entry.key}
            entry={entry}
            prefix={prefix}
            isChosen={chosen.has(entry.key)}
            onChoose={(isChosen) => choose(entry.key, isChosen)}
          />
        ))}
      </ul>
      <LoadMorePages query={list} />
    </Card>
  );
}

function NoObjects() {
  const { organization_id: orgId, bucket_id: bucketId } = useBucketParams();
  return (
    <EmptyState
      icon={IconBucket}
      title={<Trans>Nothing here yet</Trans>}
      action={
        <ButtonLink
          to="/$orgId/storage/$bucketId"
          params={{ orgId, bucketId }}
          search={(before) => ({ ...before, dialog: 'connect' })}
          resetScroll={false}
          variant="default"
        >
          <Trans>Connect a client</Trans>
        </ButtonLink>
      }
    >
      <Trans>Drop files or folders here, choose them above, or connect a client to the bucket.</Trans>
    </EmptyState>
  );
}

function NothingFound({ search }: { search: string }) {
  return (
    <Text c="dimmed" size="sm" ta="center" py="xl" role="status">
      <Trans>No name begins with “{search}”.</Trans>
    </Text>
  );
}

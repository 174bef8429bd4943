import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Card, Checkbox, Group, Text } from '@mantine/core';
import { IconBucket } from '@tabler/icons-react';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { ButtonLink } from '../../../components/links.tsx';
import { EmptyState } from '../../../components/lists/empty-state.tsx';
import { LoadMorePages } from '../../../components/lists/load-more.tsx';
import { useErrorMessage } from '../../../i18n/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { ObjectRowsSkeleton } from './bucket-page-skeleton.tsx';
import classes from './object-list.module.css';
import { ObjectRow } from './object-row.tsx';
import { useBucketParams } from './use-bucket-params.ts';
import { useDeleteObjects } from './use-delete-objects.tsx';

/** What is directly below a prefix, in all states of the list, and actions for several items at once. */
export function ObjectList(props: {
  prefix: string;
  search: string;
  /** Why nothing can be deleted. */
  reason: string | null;
  isOver: boolean;
}) {
  const { prefix, search, reason } = props;
  const { t, i18n } = useLingui();
  const ofBucket = useBucketParams();
  const describe = useErrorMessage();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const removal = useDeleteObjects();
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
      <ErrorNotice onRetry={() => void list.refetch()} isRetrying={list.isFetching}>
        <Trans>Error: {message}</Trans>
      </ErrorNotice>
    );
  }
  if (rows.length === 0) {
    return (
      <Card padding={0} className={classes.card} data-over={props.isOver || undefined}>
        {search === '' ? (
          <EmptyState
            icon={IconBucket}
            title={<Trans>Nothing here yet</Trans>}
            action={
              <ButtonLink
                to="/$orgId/storage/$bucketId"
                params={{ orgId: ofBucket.organization_id, bucketId: ofBucket.bucket_id }}
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
        ) : (
          <Text c="dimmed" size="sm" ta="center" py="xl" role="status">
            <Trans>No name begins with “{search}”.</Trans>
          </Text>
        )}
      </Card>
    );
  }
  const selected = rows.filter(({ key }) => chosen.has(key));
  const count = selected.length;
  const areAll = count === rows.length;
  const loaded = i18n.number(rows.length);
  const choose = (key: string, isChosen: boolean) =>
    setChosen((before) => {
      const after = new Set(before);
      if (isChosen) after.add(key);
      else after.delete(key);
      return after;
    });
  return (
    <Card padding={0} className={classes.card} data-over={props.isOver || undefined}>
      <Group className={classes.toolbar} gap="sm" justify="space-between">
        <Checkbox
          size="xs"
          label={
            count > 0
              ? t`${plural(count, { one: '# selected', other: '# selected' })}`
              : list.hasNextPage
                ? t`Select the ${loaded} shown`
                : t`Select all`
          }
          checked={areAll}
          indeterminate={count > 0 && !areAll}
          onChange={() => setChosen(areAll ? new Set() : new Set(rows.map(({ key }) => key)))}
        />
        {count > 0 && (
          <ReasonedAction
            reason={reason}
            onAct={() => void removal.remove(selected).then((isDone) => isDone && setChosen(new Set()))}
          >
            {(action) => (
              <Button size="compact-sm" color="red" variant="light" loading={removal.isPending} {...action}>
                <Trans>Delete</Trans>
              </Button>
            )}
          </ReasonedAction>
        )}
      </Group>
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

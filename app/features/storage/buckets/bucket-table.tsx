import { useLingui } from '@lingui/react/macro';
import { Card, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Bucket } from '#server/services/storage/schema.ts';
import { ListTable } from '../../../components/lists/list-table.tsx';
import { LoadMorePages, type PagedQuery } from '../../../components/lists/load-more.tsx';
import { BucketRow } from './bucket-row.tsx';
import classes from './bucket-table.module.css';

/** Buckets by name, with what each contains, and its actions; further ones load while scrolling. */
export function BucketTable(props: {
  buckets: readonly Bucket[];
  pages: PagedQuery & { isPlaceholderData: boolean };
  onConnect: (bucket: Bucket) => void;
  onEdit: (bucket: Bucket) => void;
  onEmpty: (bucket: Bucket) => void;
  onDelete: (bucket: Bucket) => void;
}) {
  const { buckets, pages, ...actions } = props;
  return (
    <Card padding={0} className={classes.card} aria-busy={pages.isPlaceholderData}>
      <BucketTableFrame rowCount={pages.hasNextPage ? -1 : undefined}>
        {buckets.map((bucket) => (
          <BucketRow key={bucket.id} bucket={bucket} {...actions} />
        ))}
      </BucketTableFrame>
      <LoadMorePages query={pages} />
    </Card>
  );
}

/** The table before its rows. */
export function BucketTableSkeleton() {
  const { t } = useLingui();
  return (
    <Card padding={0} className={classes.card} aria-busy aria-label={t`Loading`} role="status">
      <BucketTableFrame>
        {[170, 120, 150].map((width) => (
          <tr key={width} className={classes.row}>
            <td className={classes.name}>
              <Skeleton height={14} width={width} maw="100%" my={5} />
              <Skeleton height={12} width={90} my={3} />
            </td>
            <td className={classes.id}>
              <Skeleton height={14} width={180} maw="100%" my={7} />
            </td>
            <td className={classes.region}>
              <Skeleton height={14} width={80} />
            </td>
            <td className={classes.status}>
              <Skeleton height={20} width={54} />
            </td>
            <td className={classes.created}>
              <Skeleton height={14} width={90} />
            </td>
            <td className={`${classes.actions} screen-only`}>
              <Skeleton height={28} width={92} ml="auto" />
            </td>
          </tr>
        ))}
      </BucketTableFrame>
    </Card>
  );
}

function BucketTableFrame({ rowCount, children }: { rowCount?: number | undefined; children: ReactNode }) {
  const { t } = useLingui();
  return (
    <ListTable
      label={t`Buckets`}
      columns={[t`Name`, t`ID`, t`Region`, t`Status`, t`Created`]}
      className={classes.table}
      actionsClassName={classes.actions}
      horizontalSpacing="sm"
      rowCount={rowCount}
    >
      {children}
    </ListTable>
  );
}

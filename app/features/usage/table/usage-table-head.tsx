import { Trans } from '@lingui/react/macro';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { readSort, type SortColumn, type TableSort } from './table-sort.ts';
import classes from './usage-table.module.css';

/** The columns; each but the share, which has the order of the bandwidth, is a button that sorts by it. */
export function UsageTableHead(props: { sort: TableSort; onSort: (column: SortColumn) => void }) {
  return (
    <thead>
      <tr>
        <SortHeader {...props} column="name" className={classes.name}>
          <Trans>Endpoint or site</Trans>
        </SortHeader>
        <SortHeader {...props} column="requests" className={classes.figure}>
          <Trans>Requests</Trans>
        </SortHeader>
        <SortHeader {...props} column="bandwidth" className={classes.figure}>
          <Trans>Bandwidth</Trans>
        </SortHeader>
        <th scope="col" className={classes.share}>
          <Trans>Share</Trans>
        </th>
        <SortHeader {...props} column="hit_rate" className={classes.figure}>
          <Trans>Cache hit rate</Trans>
        </SortHeader>
        <SortHeader {...props} column="errors" className={classes.figure}>
          <Trans>Errors</Trans>
        </SortHeader>
      </tr>
    </thead>
  );
}

function SortHeader(props: {
  sort: TableSort;
  column: SortColumn;
  className: string | undefined;
  onSort: (column: SortColumn) => void;
  children: ReactNode;
}) {
  const { sort, column, className, onSort, children } = props;
  const now = readSort(sort);
  const isSorted = now.column === column;
  const Arrow = now.isAscending ? IconArrowUp : IconArrowDown;
  const direction = now.isAscending ? 'ascending' : 'descending';
  return (
    <th scope="col" className={className} aria-sort={isSorted ? direction : undefined}>
      <button type="button" className={classes.sort} onClick={() => onSort(column)}>
        {children}
        <span className={classes.arrow} aria-hidden>
          {isSorted && <Arrow size={14} stroke={1.8} />}
        </span>
      </button>
    </th>
  );
}

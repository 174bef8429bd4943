import { Trans } from '@lingui/react/macro';
import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** A list as a table: a heading for each column, and one for the actions of a row, which are not printed. */
export function ListTable(props: {
  /** What is listed, for assistive technology. */
  label: string;
  columns: readonly string[];
  className: string | undefined;
  actionsClassName: string | undefined;
  horizontalSpacing: 'sm' | 'md';
  /** Of the whole list with its heading, or -1 when it is unknown, while the first rows are rendered only. */
  rowCount?: number | undefined;
  children: ReactNode;
}) {
  return (
    <Table
      aria-label={props.label}
      className={props.className}
      horizontalSpacing={props.horizontalSpacing}
      aria-rowcount={props.rowCount}
    >
      <Table.Thead>
        <Table.Tr>
          {props.columns.map((column) => (
            <Table.Th key={column}>{column}</Table.Th>
          ))}
          <Table.Th className={`${props.actionsClassName} screen-only`}>
            <Trans>Actions</Trans>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{props.children}</Table.Tbody>
    </Table>
  );
}

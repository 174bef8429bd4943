import { useLingui } from '@lingui/react/macro';
import { Card, Skeleton, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { ListTable } from '../../../components/lists/list-table.tsx';
import { useStops } from '../../billing/spending/use-spending-limits.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { EndpointRow } from './endpoint-row.tsx';
import classes from './endpoint-table.module.css';

/**
 * Endpoints by hostname: the origin of each, whether it is live at the time `now`, and its certificate. They may be the first of more.
 */
export function EndpointTable(props: { endpoints: readonly Endpoint[]; hasMore: boolean; now: number }) {
  const { endpoints, hasMore, now } = props;
  const isStopped = useStops(useOrganization().organization.id);
  return (
    <EndpointTableFrame rowCount={hasMore ? -1 : undefined}>
      {endpoints.map((endpoint) => (
        <EndpointRow
          key={endpoint.id}
          endpoint={endpoint}
          now={now}
          isStopped={isStopped(endpoint.id, endpoint.site_id)}
        />
      ))}
    </EndpointTableFrame>
  );
}

/** The table before its rows. */
export function EndpointTableSkeleton() {
  const { t } = useLingui();
  return (
    <>
      <Skeleton height={36} mb="md" maw={320} />
      <Card padding={0} className={classes.card} aria-busy aria-label={t`Loading`} role="status">
        <EndpointTableFrame>
          {[180, 140, 165, 120].map((width) => (
            <Table.Tr key={width} className={classes.row}>
              <Table.Td className={classes.hostname}>
                <Skeleton height={14} width={width} maw="100%" my={5} />
              </Table.Td>
              <Table.Td className={classes.origin}>
                <Skeleton height={14} width={width - 40} maw="100%" />
              </Table.Td>
              <Table.Td className={classes.status}>
                <Skeleton height={20} width={64} />
              </Table.Td>
              <Table.Td className={classes.certificate}>
                <Skeleton height={20} width={140} />
              </Table.Td>
              <Table.Td className={classes.updated}>
                <Skeleton height={14} width={80} />
              </Table.Td>
              <Table.Td className={`${classes.actions} screen-only`}>
                <Skeleton height={28} width={28} ml="auto" />
              </Table.Td>
            </Table.Tr>
          ))}
        </EndpointTableFrame>
      </Card>
    </>
  );
}

function EndpointTableFrame({ rowCount, children }: { rowCount?: number | undefined; children: ReactNode }) {
  const { t } = useLingui();
  return (
    <ListTable
      label={t`CDN endpoints`}
      columns={[t`Hostname`, t`Origin`, t`Status`, t`Certificate`, t`Updated`]}
      className={classes.table}
      actionsClassName={classes.actions}
      horizontalSpacing="md"
      rowCount={rowCount}
    >
      {children}
    </ListTable>
  );
}

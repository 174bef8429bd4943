import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { StorageTotals, StorageUsage } from '#server/services/usage/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { NameLink } from '../../../components/links.tsx';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { trpc } from '../../../trpc.ts';
import { StoragePriceNote } from '../../billing/storage-price-note.tsx';
import { FigureLines, FigureLinesSkeleton } from '../../usage/month/figure-lines.tsx';
import { GROWING_MS, pauseOf } from '../../usage/use-usage-overview.ts';
import classes from './storage-usage-card.module.css';
import { storedByDay } from './stored-by-day.ts';

/** Buckets listed in the table; the CSV has all of them. */
const NAMED_MAX = 100;

/** Storage and traffic of buckets in a range, with shares if there are several. */
export function StorageUsageCard(props: { range: StorageUsageRange; title: ReactNode; action?: ReactNode }) {
  const { range, title, action } = props;
  const usage = trpc.usage.storage.useQuery(
    { ...range, buckets_max: NAMED_MAX },
    { refetchInterval: ({ state }) => pauseOf(state.data, GROWING_MS) },
  );
  const { data } = usage;
  return (
    <SectionCard
      title={title}
      description={<StoragePriceNote organizationId={range.organization_id} />}
      action={action}
    >
      {usage.isError && !data && (
        <ErrorNotice onRetry={usage.refetch}>
          <Trans>Failed to load usage statistics</Trans>
        </ErrorNotice>
      )}
      {usage.isPending && <FigureLinesSkeleton names={['stored', 'requests', 'received', 'sent']} />}
      {data && <StorageFigures usage={data} />}
      {data && range.bucket_id === undefined && data.buckets.length > 0 && (
        <BucketsTable usage={data} organizationId={range.organization_id} />
      )}
    </SectionCard>
  );
}

export interface StorageUsageRange {
  organization_id: string;
  bucket_id?: string;
  period?: 'month' | 'week' | 'day';
  start_date?: string;
  end_date?: string;
}

function StorageFigures({ usage }: { usage: StorageUsage }) {
  const { t, i18n } = useLingui();
  const { summary, points, elapsed_hours: hours } = usage;
  const bytes = (of: (totals: StorageTotals) => number, label: string) => ({
    label,
    value: formatBytes(of(summary), i18n.locale),
    values: points.map(of),
  });
  const refused = summary.total_refused_requests;
  return (
    <>
      <FigureLines
        figures={[
          {
            label: t`Stored on average`,
            value: formatBytes(averageOf(summary, hours), i18n.locale),
            values: storedByDay(points, hours),
          },
          {
            label: t`Requests`,
            value: i18n.number(summary.total_requests),
            values: points.map(({ total_requests }) => total_requests),
          },
          bytes(({ total_bytes_received }) => total_bytes_received, t`Received`),
          bytes(({ total_bytes_sent }) => total_bytes_sent, t`Sent`),
        ]}
      />
      {refused > 0 && (
        <Text size="xs" c="dimmed" mt="sm">
          <Plural
            value={refused}
            one="# request was refused or failed. It is in none of these figures."
            other="# requests were refused or failed. They are in none of these figures."
          />
        </Text>
      )}
    </>
  );
}

function BucketsTable({ usage, organizationId }: { usage: StorageUsage; organizationId: string }) {
  const { t, i18n } = useLingui();
  const { buckets, elapsed_hours: hours } = usage;
  const size = (bytes: number) => formatBytes(bytes, i18n.locale);
  return (
    <div className={classes.container}>
      <Table className={classes.table} aria-label={t`Buckets`}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              <Trans>Bucket</Trans>
            </Table.Th>
            <Table.Th className={classes.figure}>
              <Trans>Stored on average</Trans>
            </Table.Th>
            <Table.Th className={classes.figure}>
              <Trans>Requests</Trans>
            </Table.Th>
            <Table.Th className={classes.figure}>
              <Trans>Received</Trans>
            </Table.Th>
            <Table.Th className={classes.figure}>
              <Trans>Sent</Trans>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {buckets.map((bucket) => (
            <Table.Tr key={bucket.bucket_id}>
              <Table.Th scope="row" className={classes.name}>
                {bucket.is_deleted ? (
                  <Text span size="sm" c="dimmed">
                    <DeletedName name={bucket.name} />
                  </Text>
                ) : (
                  <NameLink
                    to="/$orgId/storage/$bucketId"
                    params={{ orgId: organizationId, bucketId: bucket.bucket_id }}
                  >
                    {bucket.name}
                  </NameLink>
                )}
              </Table.Th>
              <Table.Td className={classes.figure} data-name={t`Stored on average`}>
                {size(averageOf(bucket, hours))}
              </Table.Td>
              <Table.Td className={classes.figure} data-name={t`Requests`}>
                {i18n.number(bucket.total_requests)}
              </Table.Td>
              <Table.Td className={classes.figure} data-name={t`Received`}>
                {size(bucket.total_bytes_received)}
              </Table.Td>
              <Table.Td className={classes.figure} data-name={t`Sent`}>
                {size(bucket.total_bytes_sent)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function DeletedName({ name }: { name: string }) {
  return <Trans>{name} (deleted)</Trans>;
}

/** Average storage over the past hours of a range. */
function averageOf({ byte_hours }: StorageTotals, hours: number): number {
  return hours === 0 ? 0 : Math.round(byte_hours / hours);
}

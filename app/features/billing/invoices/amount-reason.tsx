import { Trans, useLingui } from '@lingui/react/macro';
import { Group, Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { InvoiceUsage } from '#server/services/billing/invoices/schema.ts';
import type { UsageKind } from '#server/services/billing/months/rating-rules.ts';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { formatDayRange } from '../../../i18n/formats/format-day-range.ts';
import { trpc } from '../../../trpc.ts';
import { CsvButton } from '../../usage/csv-button.tsx';
import { MoreUsageLink } from '../../usage/more-usage-link.tsx';
import { useBillingWords } from '../use-billing-words.ts';
import { useMoney, useRateMoney } from '../use-money.ts';
import classes from './invoice-page.module.css';
import type { InvoiceLine } from './invoice-rows.ts';
import { FigureTable, ScrollingTable } from './reason-tables.tsx';
import { StorageReason } from './storage-reason.tsx';

/**
 * How the amount of a line is calculated: from which sites, endpoints and days, with links to the same
 * numbers elsewhere.
 */
export function AmountReason(props: { line: InvoiceLine; invoiceId: string; organizationId: string }) {
  const { line, invoiceId, organizationId } = props;
  const ofInvoice = { organization_id: organizationId, invoice_id: invoiceId };
  const usage = trpc.billing.invoiceUsage.useQuery(ofInvoice, { enabled: line.lateMonth === null });
  return (
    <div className={classes.reasonBody}>
      <Formula line={line} />
      {line.lateMonth !== null && (
        <LateReason month={line.lateMonth} kind={line.kind} organizationId={organizationId} />
      )}
      {usage.isError && (
        <ErrorNotice onRetry={usage.refetch}>
          <Trans>Failed to load usage statistics</Trans>
        </ErrorNotice>
      )}
      {usage.isLoading && <Skeleton height={120} mt="sm" />}
      {usage.data && <UsageReason line={line} usage={usage.data} organizationId={organizationId} />}
    </div>
  );
}

/** The calculation, in words. */
function Formula({ line }: { line: InvoiceLine }) {
  const { i18n } = useLingui();
  const { quantityOf, rateOf } = useBillingWords();
  const money = useMoney();
  const rateMoney = useRateMoney();
  const { kind, units, quantity, rateCents, amountCents, cutCents } = line;
  const amount = money(amountCents + cutCents);
  const rate = rateOf(kind, rateMoney(rateCents));
  const written = quantityOf(kind, units);
  const exact = i18n.number(quantity);
  const billed = money(amountCents);
  return (
    <Text size="sm">
      {kind === 'site' && (
        <Trans>
          {written} × {rate} = {amount}. A site counts if it existed at any time during the month.
        </Trans>
      )}
      {kind === 'endpoint' && (
        <Trans>
          {written} × {rate} = {amount}. An endpoint counts if it existed at any time during the month.
        </Trans>
      )}
      {kind === 'bandwidth' && (
        <Trans>
          {exact} bytes are {written}; × {rate} = {amount}, rounded once to the cent.
        </Trans>
      )}
      {kind === 'requests' && (
        <Trans>
          {exact} requests are {written}; × {rate} = {amount}, rounded once to the cent.
        </Trans>
      )}
      {kind === 'storage' && (
        <Trans>
          {exact} byte-hours are {written}, of 730 hours each; × {rate} = {amount}, rounded once to the cent.
        </Trans>
      )}{' '}
      {cutCents > 0 && <Trans>Of that, {billed} is billed: the spending limit removes the rest.</Trans>}
    </Text>
  );
}

/** Late usage is the difference between what its month has now and what was billed of it. */
function LateReason(props: {
  month: { year: number; month: number };
  kind: UsageKind;
  organizationId: string;
}) {
  const { year, month } = props.month;
  const days = {
    start_date: new Date(Date.UTC(year, month - 1, 1)).toISOString().slice(0, 10),
    end_date: new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10),
  };
  return (
    <>
      <Text size="sm" mt="xs">
        <Trans>Served in that month but counted after it was billed. The rates of that month apply.</Trans>
      </Text>
      <DayLinks days={days} organizationId={props.organizationId} of={props.kind} />
    </>
  );
}

function UsageReason(props: { line: InvoiceLine; usage: InvoiceUsage; organizationId: string }) {
  const { line, usage, organizationId } = props;
  const { kind } = line;
  const days = { start_date: usage.start_date, end_date: usage.end_date };
  return (
    <>
      <div className={classes.lists}>
        {(kind === 'site' || kind === 'endpoint') && (
          <ResourceList resources={usage.resources.filter(({ type }) => type === kind)} />
        )}
        {(kind === 'bandwidth' || kind === 'requests') && (
          <>
            <ServedList usage={usage} kind={kind} organizationId={organizationId} />
            <DayList days={days} line={line} organizationId={organizationId} />
          </>
        )}
        {kind === 'storage' && <StorageReason usage={usage} organizationId={organizationId} />}
      </div>
      <DayLinks days={days} organizationId={organizationId} of={kind} />
    </>
  );
}

/** The sites or endpoints that were counted. */
function ResourceList({ resources }: { resources: InvoiceUsage['resources'] }) {
  return (
    <ScrollingTable>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Name</Trans>
          </th>
          <th scope="col">
            <Trans>ID</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {resources.map(({ id, name }) => (
          <tr key={id}>
            <th scope="row">{name}</th>
            <td className={classes.quiet}>{id}</td>
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}

type TrafficKind = 'bandwidth' | 'requests';

/** What each endpoint, and each site at its own addresses, served. */
function ServedList(props: { usage: InvoiceUsage; kind: TrafficKind; organizationId: string }) {
  const { t } = useLingui();
  const { usage, kind, organizationId } = props;
  const write = useTraffic(kind);
  const of = (row: InvoiceUsage['served'][number]) =>
    kind === 'bandwidth' ? row.total_bytes_sent : row.total_requests;
  const rows = [...usage.served].filter((row) => of(row) > 0).sort((a, b) => of(b) - of(a));
  const days = { start_date: usage.start_date, end_date: usage.end_date };
  return (
    <FigureTable
      label={t`By site and endpoint`}
      of={kind}
      total={write(rows.reduce((sum, row) => sum + of(row), 0))}
      rows={rows.map((row) => {
        const subject =
          row.cdn_endpoint_id === null
            ? { site_id: row.site_id ?? undefined }
            : { cdn_endpoint_id: row.cdn_endpoint_id };
        return {
          key: `${row.cdn_endpoint_id} ${row.site_id}`,
          name: (
            <Link
              to="/$orgId/usage"
              params={{ orgId: organizationId }}
              search={{ ...days, ...subject }}
              className={classes.link}
            >
              {row.name ?? row.cdn_endpoint_id ?? row.site_id}
            </Link>
          ),
          figure: write(of(row)),
        };
      })}
    />
  );
}

/** What was served on each day, as the usage pages currently show it. */
function DayList(props: {
  days: { start_date: string; end_date: string };
  line: InvoiceLine;
  organizationId: string;
}) {
  const { t, i18n } = useLingui();
  const { days, line, organizationId } = props;
  const kind = line.kind === 'bandwidth' ? 'bandwidth' : 'requests';
  const write = useTraffic(kind);
  const overview = trpc.usage.overview.useQuery({
    organization_id: organizationId,
    ...days,
    resources_max: 0,
  });
  if (overview.isError) {
    return (
      <ErrorNotice onRetry={overview.refetch}>
        <Trans>Failed to load usage statistics</Trans>
      </ErrorNotice>
    );
  }
  if (!overview.data) return <Skeleton height={120} />;
  const of = (point: { total_bytes_sent: number; total_requests: number }) =>
    kind === 'bandwidth' ? point.total_bytes_sent : point.total_requests;
  const byDay = new Map<string, number>();
  for (const point of overview.data.points) {
    const day = point.date.slice(0, 10);
    byDay.set(day, (byDay.get(day) ?? 0) + of(point));
  }
  const rows = [...byDay].filter(([, amount]) => amount > 0);
  const total = rows.reduce((sum, [, amount]) => sum + amount, 0);
  const missing = write(total - line.quantity);
  return (
    <div>
      <FigureTable
        label={t`By day (UTC)`}
        of={kind}
        total={write(total)}
        rows={rows.map(([day, amount]) => ({
          key: day,
          name: formatDate(day, i18n.locale, { dateStyle: 'medium' }),
          figure: write(amount),
        }))}
      />
      {total > line.quantity && (
        <Text size="xs" c="dimmed" mt={4}>
          <Trans>{missing} arrived after the month was closed and are on a later invoice.</Trans>
        </Text>
      )}
    </div>
  );
}

/** Writes bytes, or requests. */
function useTraffic(kind: TrafficKind): (amount: number) => string {
  const { i18n } = useLingui();
  return (amount) => (kind === 'bandwidth' ? formatBytes(amount, i18n.locale) : i18n.number(amount));
}

/** The same days on the usage page, and their rows as CSV. */
function DayLinks(props: {
  days: { start_date: string; end_date: string };
  organizationId: string;
  of: UsageKind;
}) {
  const { i18n } = useLingui();
  const { days, organizationId } = props;
  const file = props.of === 'storage' ? 'storage.csv' : 'stats.csv';
  const range = formatDayRange(days.start_date, days.end_date, i18n.locale);
  return (
    <Group justify="space-between" mt="sm" gap="xs">
      <MoreUsageLink organizationId={organizationId} search={days}>
        <Trans>Usage of {range}</Trans>
      </MoreUsageLink>
      <CsvButton
        size="xs"
        organizationId={organizationId}
        address={`/api/v1/usage/${file}?${new URLSearchParams(days)}`}
      />
    </Group>
  );
}

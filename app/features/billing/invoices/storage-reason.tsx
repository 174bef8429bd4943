import { Trans, useLingui } from '@lingui/react/macro';
import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { InvoiceUsage } from '#server/services/billing/invoices/schema.ts';
import { GB_MONTH_BYTE_HOURS } from '#server/services/billing/months/rating-rules.ts';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { trpc } from '../../../trpc.ts';
import { useBillingWords } from '../use-billing-words.ts';
import classes from './invoice-page.module.css';
import { FigureTable } from './reason-tables.tsx';

/** What each bucket held in the days of an invoice, and what all held on each day, as the usage pages have it. */
export function StorageReason(props: { usage: InvoiceUsage; organizationId: string }) {
  const { t } = useLingui();
  const { usage, organizationId } = props;
  const write = useStored();
  const { start_date, end_date } = usage;
  const rows = [...usage.stored].sort((one, other) => other.byte_hours - one.byte_hours);
  return (
    <>
      <FigureTable
        label={t`By bucket`}
        of="storage"
        total={write(rows.reduce((sum, { byte_hours }) => sum + byte_hours, 0))}
        rows={rows.map(({ bucket_id, name, byte_hours }) => ({
          key: bucket_id,
          name: (
            <Link
              to="/$orgId/usage"
              params={{ orgId: organizationId }}
              search={{ start_date, end_date }}
              className={classes.link}
            >
              {name}
            </Link>
          ),
          figure: write(byte_hours),
        }))}
      />
      <StoredDays days={{ start_date, end_date }} organizationId={organizationId} />
    </>
  );
}

function StoredDays(props: { days: { start_date: string; end_date: string }; organizationId: string }) {
  const { t, i18n } = useLingui();
  const write = useStored();
  const stored = trpc.usage.storage.useQuery({
    organization_id: props.organizationId,
    ...props.days,
    buckets_max: 0,
  });
  if (stored.isError) {
    return (
      <ErrorNotice onRetry={stored.refetch}>
        <Trans>Failed to load usage statistics</Trans>
      </ErrorNotice>
    );
  }
  if (!stored.data) return <Skeleton height={120} />;
  return (
    <FigureTable
      label={t`By day (UTC)`}
      of="storage"
      total={write(stored.data.summary.byte_hours)}
      rows={stored.data.points
        .filter(({ byte_hours }) => byte_hours > 0)
        .map(({ date, byte_hours }) => ({
          key: date,
          name: formatDate(date, i18n.locale, { dateStyle: 'medium' }),
          figure: write(byte_hours),
        }))}
    />
  );
}

/** Writes byte-hours in the unit of the price. */
function useStored(): (byteHours: number) => string {
  const { quantityOf } = useBillingWords();
  return (byteHours) => quantityOf('storage', byteHours / GB_MONTH_BYTE_HOURS);
}

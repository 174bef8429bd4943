import { Trans, useLingui } from '@lingui/react/macro';
import { Skeleton } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { useState } from 'react';
import type { Invoice } from '#server/services/billing/invoices/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { EmptyState } from '../../../components/lists/empty-state.tsx';
import { LoadMore } from '../../../components/lists/load-more.tsx';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { trpc } from '../../../trpc.ts';
import { useBillingWords } from '../use-billing-words.ts';
import { useMoney } from '../use-money.ts';
import classes from './invoice-history.module.css';
import { InvoiceStatusBadge } from './invoice-status-badge.tsx';

/** A year of months. */
const ROWS_AT_ONCE = 12;

/** The invoices of an organization, newest first, a year at a time. */
export function InvoiceHistory({ organizationId }: { organizationId: string }) {
  const { t } = useLingui();
  const invoices = trpc.billing.invoices.useQuery({ organization_id: organizationId });
  const [shown, setShown] = useState(ROWS_AT_ONCE);
  const { data } = invoices;
  return (
    <SectionCard title={<Trans>Invoice history</Trans>}>
      {invoices.isPending && (
        <div role="status" aria-busy aria-label={t`Loading`}>
          {['first', 'second', 'third'].map((key) => (
            <Skeleton key={key} height={20} my={14} />
          ))}
        </div>
      )}
      {invoices.isError && (
        <ErrorNotice onRetry={invoices.refetch}>
          <Trans>Failed to load invoices</Trans>
        </ErrorNotice>
      )}
      {data?.length === 0 && (
        <EmptyState icon={IconReceipt} title={<Trans>No invoices yet</Trans>}>
          <Trans>
            Invoices are generated at the start of each month from the previous month’s usage. A month without
            usage has no invoice.
          </Trans>
        </EmptyState>
      )}
      {data && data.length > 0 && (
        <>
          <InvoiceTable invoices={data.slice(0, shown)} organizationId={organizationId} />
          <LoadMore
            hasMore={data.length > shown}
            isLoading={false}
            isAutomatic={false}
            onLoad={() => setShown(shown + ROWS_AT_ONCE)}
          />
        </>
      )}
    </SectionCard>
  );
}

function InvoiceTable({ invoices, organizationId }: { invoices: Invoice[]; organizationId: string }) {
  const { t } = useLingui();
  const { monthOf } = useBillingWords();
  const money = useMoney();
  return (
    <table className={classes.table} aria-label={t`Invoice history`}>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Period</Trans>
          </th>
          <th scope="col">
            <Trans>Status</Trans>
          </th>
          <th scope="col" className={classes.figure}>
            <Trans>Total</Trans>
          </th>
          <th scope="col">
            <span className="visually-hidden">
              <Trans>Details</Trans>
            </span>
          </th>
        </tr>
      </thead>
      <tbody>
        {invoices.map((invoice) => {
          const month = monthOf(invoice);
          return (
            <tr key={invoice.id}>
              <th scope="row">{month}</th>
              <td>
                <InvoiceStatusBadge invoice={invoice} />
              </td>
              <td className={classes.figure}>{money(invoice.total_cents)}</td>
              <td className={classes.link}>
                <AnchorLink
                  to="/$orgId/billing/invoices/$invoiceId"
                  params={{ orgId: organizationId, invoiceId: invoice.id }}
                  size="sm"
                  aria-label={t`View Details: ${month}`}
                >
                  <Trans>View Details</Trans>
                </AnchorLink>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

import { Trans } from '@lingui/react/macro';
import { Title } from '@mantine/core';
import type { InvoiceDetail } from '#server/services/billing/invoices/schema.ts';
import { useBillingWords } from '../use-billing-words.ts';
import classes from './invoice-page.module.css';
import { InvoiceStatusBadge } from './invoice-status-badge.tsx';

/** What an invoice is called, its month, and its status. */
export function InvoiceTitle({ name, invoice }: { name: string; invoice: InvoiceDetail }) {
  const { monthOf } = useBillingWords();
  return (
    <div className={classes.title}>
      <Title order={1}>
        <Trans>Invoice {name}</Trans>
      </Title>
      <div className={classes.month}>
        <span className={classes.monthName}>{monthOf(invoice)}</span>
        <InvoiceStatusBadge invoice={invoice} />
      </div>
    </div>
  );
}

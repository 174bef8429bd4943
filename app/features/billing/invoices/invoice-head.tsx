import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group } from '@mantine/core';
import { IconArrowUpRight, IconFileTypePdf, IconTable } from '@tabler/icons-react';
import type { InvoiceDetail } from '#server/services/billing/invoices/schema.ts';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { Facts } from '../../../components/facts.tsx';
import { NewTabHint } from '../../../components/new-tab-hint.tsx';
import { DownloadButton } from '../../usage/download-button.tsx';
import classes from './invoice-page.module.css';
import { InvoiceTitle } from './invoice-title.tsx';

/** An invoice's id, month and status, and its downloads. */
export function InvoiceHead({ invoice, organizationId }: { invoice: InvoiceDetail; organizationId: string }) {
  const { t, i18n } = useLingui();
  const { id, number } = invoice;
  const date = (instant: string) => formatDate(instant, i18n.locale);
  const facts = [
    { name: t`Invoice date`, value: date(invoice.finalized_at ?? invoice.created_at) },
    { name: t`Invoice ID`, value: id },
    ...(number === null ? [] : [{ name: t`Invoice number`, value: number }]),
    ...(invoice.paid_at === null ? [] : [{ name: t`Paid on`, value: date(invoice.paid_at) }]),
    ...(invoice.buyer === null
      ? []
      : [{ name: t`Billed to`, value: invoice.buyer.company ?? invoice.buyer.name }]),
  ];
  const file = (format: 'pdf' | 'csv') =>
    `/api/v1/billing/invoices/${id}/${format}?${new URLSearchParams({ language: i18n.locale })}`;
  return (
    <>
      <div className={classes.head}>
        <InvoiceTitle name={id} invoice={invoice} />
        <Group gap="xs">
          <DownloadButton
            organizationId={organizationId}
            address={file('pdf')}
            icon={IconFileTypePdf}
            failed={(message) => t`The PDF could not be downloaded: ${message}`}
          >
            <Trans>Download PDF</Trans>
          </DownloadButton>
          <DownloadButton
            organizationId={organizationId}
            address={file('csv')}
            icon={IconTable}
            failed={(message) => t`The CSV could not be downloaded: ${message}`}
          >
            <Trans>Download CSV</Trans>
          </DownloadButton>
          {invoice.hosted_invoice_url !== null && (
            <Button
              component="a"
              href={invoice.hosted_invoice_url}
              target="_blank"
              rel="noreferrer"
              variant={invoice.status === 'open' ? 'filled' : 'default'}
              rightSection={<IconArrowUpRight size={16} aria-hidden />}
            >
              {invoice.status === 'open' ? <Trans>Pay invoice</Trans> : <Trans>View hosted invoice</Trans>}
              <NewTabHint />
            </Button>
          )}
        </Group>
      </div>
      <Facts facts={facts} />
    </>
  );
}

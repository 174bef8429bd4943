import { Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { isNotFound } from '../../../i18n/errors/read-error.ts';
import { trpc } from '../../../trpc.ts';
import { BackToBilling } from '../back-to-billing.tsx';
import { PaymentProblem } from '../payment-methods/payment-problem.tsx';
import { SandboxNotice } from '../sandbox-notice.tsx';
import { InvoiceCredits } from './invoice-credits.tsx';
import { InvoiceHead } from './invoice-head.tsx';
import { InvoiceFailed, InvoiceMissing } from './invoice-missing.tsx';
import { InvoicePageSkeleton } from './invoice-page-skeleton.tsx';
import { InvoiceTable } from './invoice-table.tsx';

const route = getRouteApi('/$orgId/billing/invoices/$invoiceId');

/** One invoice: its items, how every amount is calculated, and its files. */
export function InvoicePage() {
  const { orgId, invoiceId } = route.useParams();
  const input = { organization_id: orgId, invoice_id: invoiceId };
  const invoice = trpc.billing.invoice.useQuery(input);
  if (invoice.isPending) return <InvoicePageSkeleton />;
  if (invoice.isError && !invoice.data) {
    if (isNotFound(invoice.error)) return <InvoiceMissing />;
    return <InvoiceFailed onRetry={invoice.refetch} />;
  }
  return (
    <>
      <BackToBilling organizationId={orgId} />
      <Stack gap="lg">
        <SandboxNotice />
        <InvoiceHead invoice={invoice.data} organizationId={orgId} />
        <PaymentProblem invoice={invoice.data} />
        {/* Another invoice begins with everything folded. */}
        <InvoiceTable key={invoiceId} invoice={invoice.data} organizationId={orgId} />
        <InvoiceCredits credits={invoice.data.credits} />
      </Stack>
    </>
  );
}

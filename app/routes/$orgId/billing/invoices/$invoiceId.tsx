import { msg } from '@lingui/core/macro';
import { createFileRoute, notFound } from '@tanstack/react-router';
import { InvoiceMissing } from '../../../../features/billing/invoices/invoice-missing.tsx';
import { InvoicePage } from '../../../../features/billing/invoices/invoice-page.tsx';
import { InvoicePageSkeleton } from '../../../../features/billing/invoices/invoice-page-skeleton.tsx';
import { isAbsent } from '../../../../i18n/errors/read-error.ts';
import { pageTitle, titleOfOne } from '../../../../i18n/page-title.ts';

export const Route = createFileRoute('/$orgId/billing/invoices/$invoiceId')({
  loader: async ({ context, params }) => {
    const input = { organization_id: params.orgId, invoice_id: params.invoiceId };
    // The page itself retries other failures, and reports them.
    const invoice = await context.trpc.billing.invoice.ensureData(input).catch((error: unknown) => {
      if (isAbsent(error)) throw notFound();
      return null;
    });
    return { isThere: invoice !== null };
  },
  head: ({ match, params, loaderData }) => {
    const { i18n } = match.context;
    const id = params.invoiceId;
    const missing = i18n._(msg`Invoice Not Found`);
    const name = loaderData && (loaderData.isThere ? i18n._(msg`Invoice ${id}`) : missing);
    const title = titleOfOne(match.status, { name, missing, section: 'billing' });
    return { meta: [{ title: pageTitle(match.context, title) }] };
  },
  pendingComponent: InvoicePageSkeleton,
  notFoundComponent: InvoiceMissing,
  component: InvoicePage,
});

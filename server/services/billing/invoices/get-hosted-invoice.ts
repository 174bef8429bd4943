import type { z } from 'zod';
import { type App, type RequestContext, requirePerson } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { resolveOrganization } from '../../organizations/resolve-organization.ts';
import { askProvider, requireBillingRight, requirePayments } from '../require-payments.ts';
import type { InvoiceRow } from './follow-invoice.ts';
import { requireInvoice } from './get-invoice.ts';
import { invoiceInput } from './schema.ts';

/**
 * Returns the current address of the provider's page of an invoice, on which a person pays, authenticates a
 * card or gets a receipt. It is for members of the invoice's organization, whichever organization they have
 * selected.
 * @throws billing_off, person_required, invoice_not_found, payments_unavailable
 */
export async function getHostedInvoice(
  context: RequestContext,
  input: z.input<typeof invoiceInput>,
): Promise<string> {
  requirePerson(context);
  const { invoice_id } = invoiceInput.parse(input);
  const { app } = context;
  requirePayments(app);
  const found = await app.db
    .selectFrom('invoices')
    .select('organization_id')
    .where('id', '=', invoice_id)
    .executeTakeFirst();
  const inside = await resolveOrganization(context, found?.organization_id ?? '').catch((error: unknown) => {
    const isForeign = error instanceof AppError && error.code === 'organization_not_found';
    throw isForeign ? new AppError('invoice_not_found') : error;
  });
  const { account } = requireBillingRight(inside, 'billing.read');
  return fetchHostedUrl(app, await requireInvoice(app.db, account, invoice_id));
}

/**
 * Returns the current address of the provider's page of an invoice.
 * @throws billing_off, invoice_not_found before it is issued, payments_unavailable
 */
export async function fetchHostedUrl(app: App, { provider_id }: InvoiceRow): Promise<string> {
  const payments = requirePayments(app);
  if (provider_id === null) throw new AppError('invoice_not_found');
  const { provider } = await payments.open();
  const { hostedUrl } = await askProvider(() => provider.getInvoice(provider_id));
  if (hostedUrl === null) throw new AppError('invoice_not_found');
  return hostedUrl;
}

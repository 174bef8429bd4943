import type { z } from 'zod';
import type { Executor } from '#db/client.ts';
import type { OrganizationContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Account } from '../queries.ts';
import { requireBillingRight } from '../require-payments.ts';
import type { InvoiceRow } from './follow-invoice.ts';
import { type InvoiceDetail, invoiceInput } from './schema.ts';
import { toInvoiceDetail } from './to-invoice.ts';

/**
 * Returns an invoice of the organization.
 * @throws billing_off, person_required, invoice_not_found
 */
export async function getInvoice(
  context: OrganizationContext,
  input: z.input<typeof invoiceInput>,
): Promise<InvoiceDetail> {
  const { account } = requireBillingRight(context, 'billing.read');
  const { invoice_id } = invoiceInput.parse(input);
  const { app } = context;
  return toInvoiceDetail(app.db, app, await requireInvoice(app.db, account, invoice_id));
}

/** @throws invoice_not_found */
export async function requireInvoice(executor: Executor, account: Account, id: string): Promise<InvoiceRow> {
  const row = await executor
    .selectFrom('invoices')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', account.organizationId)
    .where('mode', '=', account.mode)
    .executeTakeFirst();
  if (!row) throw new AppError('invoice_not_found');
  return row;
}

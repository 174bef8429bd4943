import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { requirePayments } from '../require-payments.ts';
import type { InvoiceRow } from './follow-invoice.ts';

/**
 * Returns an invoice of any organization, by its id or its printed number.
 * @throws invoice_not_found, billing_off
 */
export async function findInvoiceForOperator(app: App, reference: string): Promise<InvoiceRow> {
  const { mode } = requirePayments(app);
  const row = await app.db
    .selectFrom('invoices')
    .selectAll()
    .where('mode', '=', mode)
    .where((invoice) => invoice.or([invoice('id', '=', reference), invoice('number', '=', reference)]))
    .executeTakeFirst();
  if (!row) throw new AppError('invoice_not_found');
  return row;
}

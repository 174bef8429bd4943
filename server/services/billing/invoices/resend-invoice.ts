import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { invoiceForOperatorInput } from '../schema-for-operator.ts';
import type { InvoiceRow } from './follow-invoice.ts';
import { findInvoiceForOperator } from './invoice-for-operator.ts';
import { queueInvoiceMail } from './queue-invoice-mail.ts';

/**
 * Sends the invoice message to the billing contact again.
 * @throws operator_required, billing_off, invoice_not_found, invoice_not_open, mail_not_configured
 */
export async function resendInvoice(
  context: RequestContext,
  input: z.input<typeof invoiceForOperatorInput>,
): Promise<InvoiceRow> {
  requireOperator(context, 'manage');
  const { invoice_id } = invoiceForOperatorInput.parse(input);
  const { app } = context;
  if (!app.config.mail) throw new AppError('mail_not_configured');
  const row = await findInvoiceForOperator(app, invoice_id);
  if (row.finalized_at === null || row.status === 'void') throw new AppError('invoice_not_open');
  await inUnitOfWork(context, async ({ trx, audit }) => {
    await queueInvoiceMail(trx, app, row);
    await audit({
      action: 'invoice.resend',
      resource_type: 'invoice',
      resource_id: row.id,
      organization_id: row.organization_id,
    });
  });
  return row;
}

import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { PaymentError } from '#server/payments/payment-error.ts';
import type { PaymentProvider, ProviderInvoice } from '#server/payments/payment-provider.ts';
import { askProvider, requirePayments } from '../require-payments.ts';
import { invoiceForOperatorInput } from '../schema-for-operator.ts';
import { applyProviderInvoice, type InvoiceRow } from './follow-invoice.ts';
import { findInvoiceForOperator } from './invoice-for-operator.ts';

/** Whether an invoice awaits payment. */
export function isOwed({ status }: InvoiceRow): boolean {
  return status === 'open' || status === 'uncollectible';
}

/**
 * Ends an invoice that awaits payment, at the provider and here.
 * @param end what ends it at the provider, given its id there and a key
 * @throws operator_required, billing_off, invoice_not_found, payments_unavailable; invoice_not_open when it has ended in another way
 */
export async function endInvoice(
  context: RequestContext,
  input: z.input<typeof invoiceForOperatorInput>,
  end: (id: string, key: string, provider: PaymentProvider) => Promise<ProviderInvoice>,
): Promise<InvoiceRow> {
  requireOperator(context, 'manage');
  const { invoice_id } = invoiceForOperatorInput.parse(input);
  const { app } = context;
  const { open } = requirePayments(app);
  const row = await findInvoiceForOperator(app, invoice_id);
  const id = row.provider_id;
  if (!isOwed(row) || id === null) throw new AppError('invoice_not_open');
  const { provider } = await open();
  try {
    const seen = await askProvider(() => end(id, row.id, provider));
    return await applyProviderInvoice(context, row.id, seen);
  } catch (error) {
    // It ended there in another way in the meantime.
    if (!(error instanceof PaymentError) || error.kind !== 'invalid') throw error;
    await applyProviderInvoice(context, row.id, await provider.getInvoice(id));
    throw new AppError('invoice_not_open', {}, [], { cause: error });
  }
}

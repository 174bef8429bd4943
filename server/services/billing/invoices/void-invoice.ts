import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { queueWebhooks } from '../../webhooks/queue-webhooks.ts';
import { invoiceForOperatorInput } from '../schema-for-operator.ts';
import { endInvoice } from './end-invoice.ts';
import { factsOf, type InvoiceRow, lockInvoice } from './follow-invoice.ts';
import { findInvoiceForOperator } from './invoice-for-operator.ts';

/**
 * Voids an open invoice: it is never charged. Repeating it has no further effect. One that is held, since its organization has never set up billing, is voided too.
 * @throws operator_required, billing_off, invoice_not_found, invoice_not_open, invoice_partly_paid, payments_unavailable
 */
export async function voidInvoice(
  context: RequestContext,
  input: z.input<typeof invoiceForOperatorInput>,
): Promise<InvoiceRow> {
  requireOperator(context, 'manage');
  const { invoice_id } = invoiceForOperatorInput.parse(input);
  const found = await findInvoiceForOperator(context.app, invoice_id);
  if (found.status === 'void') return found;
  const held = found.status === 'draft' ? await voidHeldInvoice(context, found.id) : null;
  if (held) return held;
  return endInvoice(context, input, async (id, key, provider) => {
    const { amountPaidCents } = await provider.getInvoice(id);
    // Nobody would give this money back.
    if (amountPaidCents > 0) throw new AppError('invoice_partly_paid');
    return provider.voidInvoice(id, key);
  });
}

/** Returns null for a draft that the provider has, or may be receiving at this moment. */
function voidHeldInvoice(context: RequestContext, id: string): Promise<InvoiceRow | null> {
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const row = await lockInvoice(trx, id);
    if (row.status !== 'draft' || row.hold_reason === null || row.provider_id !== null) return null;
    const values = { status: 'void', hold_reason: null, voided_at: now, updated_at: now } as const;
    await trx.updateTable('invoices').set(values).where('id', '=', id).execute();
    await audit({
      action: 'invoice.void',
      resource_type: 'invoice',
      resource_id: id,
      organization_id: row.organization_id,
      before: { status: row.status },
      after: { status: 'void', amount_cents: row.amount_due_cents },
    });
    const after = { ...row, ...values };
    await queueWebhooks(trx, context.app, row.organization_id, 'invoice.voided', factsOf(after));
    return after;
  });
}

import type { z } from 'zod';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { PaymentError } from '#server/payments/payment-error.ts';
import type { PaymentProvider, ProviderInvoice } from '#server/payments/payment-provider.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { askProvider, requirePayments } from '../require-payments.ts';
import { invoiceForOperatorInput } from '../schema-for-operator.ts';
import { applyProviderInvoice, type InvoiceRow, lockInvoice } from './follow-invoice.ts';
import { findInvoiceForOperator } from './invoice-for-operator.ts';

type Input = z.input<typeof invoiceForOperatorInput>;

/**
 * Voids an open invoice: it is never charged. One that is held, since its organization has never set up billing, is voided too.
 * @throws operator_required, billing_off, invoice_not_found, invoice_not_open, invoice_partly_paid, payments_unavailable
 */
export async function voidInvoice(context: RequestContext, input: Input): Promise<InvoiceRow> {
  requireOperator(context, 'manage');
  const { invoice_id } = invoiceForOperatorInput.parse(input);
  const found = await findInvoiceForOperator(context.app, invoice_id);
  const held = found.status === 'draft' ? await voidHeldInvoice(context, found.id) : null;
  if (held) return held;
  return endInvoice(context, input, async (id, key, provider) => {
    const { amountPaidCents } = await provider.getInvoice(id);
    // Nobody would give this money back.
    if (amountPaidCents > 0) throw new AppError('invoice_partly_paid');
    return provider.voidInvoice(id, key);
  });
}

/** Returns null for a draft that the provider knows, or may be told of at this moment. */
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
    return { ...row, ...values };
  });
}

/**
 * Records a payment made by other means, for example a transfer: the invoice is paid and no longer charged.
 * @throws operator_required, billing_off, invoice_not_found, invoice_not_open, payments_unavailable
 */
export async function markInvoicePaid(context: RequestContext, input: Input): Promise<InvoiceRow> {
  const { app } = context;
  const row = await endInvoice(context, input, (id, key, provider) => provider.markPaidElsewhere(id, key));
  const now = app.clock.now();
  await app.db
    .insertInto('payment_attempts')
    .values({
      // Of two simultaneous commands, one records it.
      id: row.id,
      organization_id: row.organization_id,
      mode: row.mode,
      invoice_id: row.id,
      reason: 'elsewhere',
      payment_method_id: null,
      started_at: now,
      ended_at: now,
      outcome: 'paid',
      detail: null,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  return row;
}

async function endInvoice(
  context: RequestContext,
  input: Input,
  end: (id: string, key: string, provider: PaymentProvider) => Promise<ProviderInvoice>,
): Promise<InvoiceRow> {
  requireOperator(context, 'manage');
  const { invoice_id } = invoiceForOperatorInput.parse(input);
  const { app } = context;
  const { open } = requirePayments(app);
  const row = await findInvoiceForOperator(app, invoice_id);
  const isOwed = row.status === 'open' || row.status === 'uncollectible';
  const id = row.provider_id;
  if (!isOwed || id === null) throw new AppError('invoice_not_open');
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

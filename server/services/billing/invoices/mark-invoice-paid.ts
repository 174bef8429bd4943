import type { z } from 'zod';
import { type App, type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { askProvider, requirePayments } from '../require-payments.ts';
import { invoiceForOperatorInput } from '../schema-for-operator.ts';
import { endInvoice, isOwed } from './end-invoice.ts';
import type { InvoiceRow } from './follow-invoice.ts';
import { findInvoiceForOperator } from './invoice-for-operator.ts';

/**
 * Records a payment made by other means, for example a transfer: the invoice is paid and no longer charged. Repeating it has no
 * further effect; one that a card has paid is refused.
 * @throws operator_required, billing_off, invoice_not_found, invoice_not_open, payments_unavailable
 */
export async function markInvoicePaid(
  context: RequestContext,
  input: z.input<typeof invoiceForOperatorInput>,
): Promise<InvoiceRow> {
  requireOperator(context, 'manage');
  const { invoice_id } = invoiceForOperatorInput.parse(input);
  const { app } = context;
  const found = await findInvoiceForOperator(app, invoice_id);
  if (await wasPaidElsewhere(app, found)) return found;
  if (!isOwed(found)) throw new AppError('invoice_not_open');
  await beginPaidElsewhere(app, found);
  try {
    const row = await endInvoice(context, input, (id, key, provider) => provider.markPaidElsewhere(id, key));
    await endPaidElsewhere(app, row.id, 'paid');
    return row;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invoice_not_open') throw error;
    const row = await findInvoiceForOperator(app, found.id);
    if (await wasPaidElsewhere(app, row)) return row;
    throw error;
  }
}

/** Written before the provider is called, whose invoice does not say by which means it was paid. */
async function beginPaidElsewhere({ db, clock }: App, row: InvoiceRow): Promise<void> {
  const unknown = { started_at: clock.now(), ended_at: null, outcome: null };
  await db
    .insertInto('payment_attempts')
    .values({
      // Of two simultaneous commands, one records it.
      id: row.id,
      organization_id: row.organization_id,
      mode: row.mode,
      invoice_id: row.id,
      reason: 'elsewhere',
      payment_method_id: null,
      detail: null,
      ...unknown,
    })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(unknown).where('payment_attempts.outcome', '=', 'failed'),
    )
    .execute();
}

async function endPaidElsewhere(
  { db, clock }: App,
  invoiceId: string,
  outcome: 'paid' | 'failed',
): Promise<void> {
  await db
    .updateTable('payment_attempts')
    .set({ outcome, ended_at: clock.now() })
    .where('id', '=', invoiceId)
    .execute();
}

/** Whether a payment by other means was recorded; a command that was interrupted is ended. */
async function wasPaidElsewhere(app: App, row: InvoiceRow): Promise<boolean> {
  const attempt = await app.db
    .selectFrom('payment_attempts')
    .select('outcome')
    .where('id', '=', row.id)
    .where('reason', '=', 'elsewhere')
    .executeTakeFirst();
  const { provider_id } = row;
  if (!attempt || isOwed(row) || provider_id === null) return false;
  if (attempt.outcome !== null) return attempt.outcome === 'paid';
  const { provider } = await requirePayments(app).open();
  const paidByCards = await askProvider(() => provider.sumPaidByCards(provider_id));
  const isElsewhere = row.status === 'paid' && paidByCards < row.amount_paid_cents;
  await endPaidElsewhere(app, row.id, isElsewhere ? 'paid' : 'failed');
  return isElsewhere;
}

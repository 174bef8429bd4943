import type { z } from 'zod';
import type { Trx } from '#db/client.ts';
import { type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { askProvider, requirePayments } from '../require-payments.ts';
import { creditInvoiceInput } from '../schema-for-operator.ts';
import { applyProviderInvoice, type InvoiceRow, lockInvoice } from './follow-invoice.ts';
import { findInvoiceForOperator } from './invoice-for-operator.ts';
import { CHARGE_MIN_CENTS } from './invoice-rules.ts';

/**
 * Credits a part of an issued invoice: it lowers the amount due of an open one; for a paid one, the rest is
 * kept for the next. Never more than what remains of it, or is due while it is open. The same amount for the
 * same reason is one credit note, however often it is requested.
 * @throws operator_required, billing_off, invoice_not_found, credit_too_large; credit_leaves_too_little when
 * the rest of an open one could not be charged; payments_unavailable: it is then continued automatically
 */
export async function creditInvoice(
  context: RequestContext,
  input: z.input<typeof creditInvoiceInput>,
): Promise<InvoiceRow> {
  requireOperator(context, 'manage');
  const { invoice_id, amount_cents, reason } = creditInvoiceInput.parse(input);
  const { app } = context;
  const found = await findInvoiceForOperator(app, invoice_id);
  const id = await inUnitOfWork(context, async ({ trx, now, audit }) => {
    const row = await lockInvoice(trx, found.id);
    const made = await trx
      .selectFrom('credit_notes')
      .select('id')
      .where('invoice_id', '=', row.id)
      .where('amount_cents', '=', amount_cents)
      .where('reason', '=', reason)
      .executeTakeFirst();
    if (made) return made.id;
    const id = newId(now);
    const uncredited = row.total_cents - row.credited_cents;
    // A credit of an earlier invoice may already have lowered what is due.
    const due = row.amount_due_cents - (await sumPendingCredits(trx, row.id));
    const left = row.status === 'open' ? Math.min(uncredited, due) : uncredited;
    const isIssued = row.provider_id !== null && (row.status === 'open' || row.status === 'paid');
    if (!isIssued || amount_cents > left)
      throw new AppError('credit_too_large', { left: isIssued ? left : 0 });
    // The provider charges no card with less, so that the rest would stay open for ever.
    const rest = row.status === 'open' ? due - amount_cents : 0;
    if (rest > 0 && rest < CHARGE_MIN_CENTS) {
      throw new AppError('credit_leaves_too_little', { left, minimum: CHARGE_MIN_CENTS });
    }
    await trx
      .insertInto('credit_notes')
      .values({
        id,
        organization_id: row.organization_id,
        mode: row.mode,
        invoice_id: row.id,
        reason,
        provider_id: null,
        amount_cents,
        created_at: now,
      })
      .execute();
    const values = { credited_cents: row.credited_cents + amount_cents, updated_at: now };
    await trx.updateTable('invoices').set(values).where('id', '=', row.id).execute();
    await audit({
      action: 'invoice.credit',
      resource_type: 'invoice',
      resource_id: row.id,
      organization_id: row.organization_id,
      after: { amount_cents, reason },
    });
    return id;
  });
  await finishCreditNote(context, id);
  return findInvoiceForOperator(app, found.id);
}

/** Returns what the provider has not been told of yet, and has not taken off what is due. */
async function sumPendingCredits(trx: Trx, invoiceId: string): Promise<number> {
  const { cents } = await trx
    .selectFrom('credit_notes')
    .select(({ fn }) => fn.sum('amount_cents').as('cents'))
    .where('invoice_id', '=', invoiceId)
    .where('provider_id', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(cents ?? 0);
}

/** Sends a credit note to the provider, with its own key. */
export async function finishCreditNote(context: RequestContext, id: string): Promise<void> {
  const { app } = context;
  const { open } = requirePayments(app);
  const note = await app.db
    .selectFrom('credit_notes')
    .innerJoin('invoices', 'invoices.id', 'credit_notes.invoice_id')
    .select(['credit_notes.amount_cents', 'credit_notes.reason', 'credit_notes.invoice_id'])
    .select('invoices.provider_id')
    .where('credit_notes.id', '=', id)
    .where('credit_notes.provider_id', 'is', null)
    .executeTakeFirst();
  const invoice = note?.provider_id;
  if (!note || !invoice) return;
  const { provider } = await open();
  const made = await askProvider(() =>
    provider.createCreditNote(id, invoice, note.amount_cents, note.reason),
  );
  await app.db.updateTable('credit_notes').set({ provider_id: made.id }).where('id', '=', id).execute();
  await applyProviderInvoice(context, note.invoice_id, await provider.getInvoice(invoice));
}

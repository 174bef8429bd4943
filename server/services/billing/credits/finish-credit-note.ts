import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { PaymentError } from '#server/payments/payment-error.ts';
import type { CreatedCreditNote, PaymentProvider } from '#server/payments/payment-provider.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { queueWebhooks } from '../../webhooks/queue-webhooks.ts';
import { applyProviderInvoice, factsOf, lockInvoice, moveInvoice } from '../invoices/follow-invoice.ts';
import { languageOf } from '../invoices/issue-invoice.ts';
import { queueCreditMail } from '../invoices/queue-invoice-mail.ts';
import { followReversalsOf } from '../payments/follow-reversals.ts';
import { askProvider, requirePayments } from '../require-payments.ts';
import type { CreditNoteRow } from './list-credit-notes.ts';

/**
 * Sends a credit note to the provider, with its own key, and tells the billing contact and webhooks of a credit; a
 * refund has its own messages once the money has moved. One that the provider refuses is withdrawn.
 * @throws credit_refused, payments_unavailable
 */
export async function finishCreditNote(context: RequestContext, id: string): Promise<void> {
  const { app } = context;
  const { open } = requirePayments(app);
  const note = await app.db
    .selectFrom('credit_notes')
    .innerJoin('invoices', 'invoices.id', 'credit_notes.invoice_id')
    .selectAll('credit_notes')
    .select('invoices.provider_id as invoice_at_provider')
    .where('credit_notes.id', '=', id)
    .where('credit_notes.is_early', 'is', null)
    .executeTakeFirst();
  const invoice = note?.invoice_at_provider;
  if (!note || !invoice) return;
  const { provider } = await open();
  const made = await createOrWithdraw(context, provider, invoice, note);
  const seen = await provider.getInvoice(invoice);
  // In one transaction: what the credit did to the amount due is never counted without it, nor twice.
  await inUnitOfWork(context, async (unit) => {
    const { trx } = unit;
    const { isEarly, refundIds } = made;
    const row = await moveInvoice(app, unit, note.invoice_id, seen, { noteId: id, isEarly });
    const { numUpdatedRows } = await trx
      .updateTable('credit_notes')
      .set({ provider_id: made.id, is_early: isEarly ? 1 : 0 })
      .where('id', '=', id)
      .where('is_early', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    const { organization_id, mode } = note;
    const refunds = refundIds.map((provider_id) => ({
      ...{ organization_id, mode, credit_note_id: id, provider_id },
    }));
    if (refunds.length > 0) await trx.insertInto('credit_note_refunds').values(refunds).execute();
    if (note.kind === 'refund') return;
    await queueCreditMail(trx, app, row, note);
    await queueWebhooks(trx, app, organization_id, 'invoice.credited', {
      ...factsOf(row),
      credit_cents: note.amount_cents,
      reason: note.reason,
      reason_fr: note.reason_fr,
    });
  });
  if (note.kind === 'refund') await followReversalsOf(context, provider, invoice);
}

async function createOrWithdraw(
  context: RequestContext,
  provider: PaymentProvider,
  invoice: string,
  note: CreditNoteRow,
): Promise<CreatedCreditNote> {
  const language = await languageOf(context.app, note.organization_id);
  const memo = (language === 'fr-CA' ? note.reason_fr : null) ?? note.reason;
  const { id: key, amount_cents, kind } = note;
  try {
    return await askProvider(() => provider.createCreditNote(key, invoice, amount_cents, { memo, kind }));
  } catch (error) {
    // Without a code it may have been made before.
    if (!(error instanceof PaymentError) || error.kind !== 'invalid' || error.code === null) throw error;
    await withdraw(context, note, error.code);
    await applyProviderInvoice(context, note.invoice_id, await provider.getInvoice(invoice));
    throw new AppError('credit_refused', { reason: error.code }, [], { cause: error });
  }
}

/** As if it had never been asked for; the log keeps both. */
function withdraw(context: RequestContext, note: CreditNoteRow, reason: string): Promise<void> {
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const row = await lockInvoice(trx, note.invoice_id);
    const { numDeletedRows } = await trx
      .deleteFrom('credit_notes')
      .where('id', '=', note.id)
      .where('provider_id', 'is', null)
      .executeTakeFirst();
    if (numDeletedRows === 0n) return;
    const values = { credited_cents: row.credited_cents - note.amount_cents, updated_at: now };
    await trx.updateTable('invoices').set(values).where('id', '=', row.id).execute();
    await audit({
      action: 'invoice.credit_refused',
      resource_type: 'invoice',
      resource_id: row.id,
      organization_id: row.organization_id,
      before: { amount_cents: note.amount_cents, reason: note.reason },
      after: { refused: reason },
    });
  });
}

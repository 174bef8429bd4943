import type { z } from 'zod';
import type { Trx } from '#db/client.ts';
import { type App, type RequestContext, requireOperator } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { type InvoiceRow, lockInvoice } from '../invoices/follow-invoice.ts';
import { findInvoiceForOperator } from '../invoices/invoice-for-operator.ts';
import { CHARGE_MIN_CENTS } from '../invoices/invoice-rules.ts';
import { listReversals, type ReversalRow } from '../payments/list-reversals.ts';
import { refundStateOf } from '../payments/reversal-rules.ts';
import { askProvider, requirePayments } from '../require-payments.ts';
import { creditInvoiceInput } from '../schema-for-operator.ts';
import type { CreditKind } from './credit-rules.ts';
import { finishCreditNote } from './finish-credit-note.ts';

type Input = z.input<typeof creditInvoiceInput>;

/**
 * Credits a part of an issued invoice, or all that is left: it lowers the amount due of an open one; for a paid one,
 * the rest is kept for the next. Never more than what remains of it, or is due while it is open. The same amount for
 * the same reason is one credit note, however often it is requested.
 * @throws operator_required, billing_off, invoice_not_found, credit_too_large; credit_leaves_too_little when
 * the rest of an open one could not be charged; credit_refused by the provider, after which nothing is credited;
 * payments_unavailable: it is then continued automatically
 */
export function creditInvoice(context: RequestContext, input: Input): Promise<InvoiceRow> {
  return issueCreditNote(context, input, 'credit');
}

/**
 * Credits a part of a paid invoice, or all that is left, and gives the money back to the card that paid it. Never
 * more than what is left of that payment. The same amount for the same reason is one refund, however often it is
 * requested.
 * @throws operator_required, billing_off, invoice_not_found, refund_too_large; credit_refused by the provider, after
 * which nothing is refunded; payments_unavailable: it is then continued automatically if it was begun
 */
export function refundInvoice(context: RequestContext, input: Input): Promise<InvoiceRow> {
  return issueCreditNote(context, input, 'refund');
}

async function issueCreditNote(context: RequestContext, input: Input, kind: CreditKind): Promise<InvoiceRow> {
  requireOperator(context, 'manage');
  const { invoice_id, amount_cents: wanted, reason, reason_fr = null } = creditInvoiceInput.parse(input);
  const { app } = context;
  const found = await findInvoiceForOperator(app, invoice_id);
  const paidByCards = kind === 'refund' ? await sumPaidByCards(app, found) : 0;
  const id = await inUnitOfWork(context, async ({ trx, now, audit }) => {
    const row = await lockInvoice(trx, found.id);
    const { left, due } =
      kind === 'refund' ? await leftToRefund(trx, row, paidByCards) : await leftToCredit(trx, row);
    const made = await findMade(trx, row.id, { kind, reason, amountCents: wanted === 'all' ? null : wanted });
    // All of what is left was credited by the same request before.
    if (made && (wanted !== 'all' || left === 0)) return made;
    const amount_cents = wanted === 'all' ? left : wanted;
    if (amount_cents === 0 || amount_cents > left) {
      throw new AppError(kind === 'refund' ? 'refund_too_large' : 'credit_too_large', { left });
    }
    // The provider charges no card with less, so that the rest would stay open for ever.
    const rest = due - amount_cents;
    if (rest > 0 && rest < CHARGE_MIN_CENTS) {
      throw new AppError('credit_leaves_too_little', { left, minimum: CHARGE_MIN_CENTS });
    }
    const id = newId(now);
    const { organization_id, mode } = row;
    await trx
      .insertInto('credit_notes')
      .values({
        ...{ id, organization_id, mode, invoice_id: row.id, kind, reason, reason_fr },
        ...{ provider_id: null, is_early: null, amount_cents, created_at: now },
      })
      .execute();
    const values = { credited_cents: row.credited_cents + amount_cents, updated_at: now };
    await trx.updateTable('invoices').set(values).where('id', '=', row.id).execute();
    await audit({
      action: 'invoice.credit',
      resource_type: 'invoice',
      resource_id: row.id,
      organization_id,
      after: { amount_cents, reason, ...(kind === 'refund' && { is_refund: true }) },
    });
    return id;
  });
  await finishCreditNote(context, id);
  return findInvoiceForOperator(app, found.id);
}

/** Returns the credit note of the same request, which may have been interrupted; an amount of null is any. */
async function findMade(
  trx: Trx,
  invoiceId: string,
  { kind, reason, amountCents }: { kind: CreditKind; reason: string; amountCents: number | null },
): Promise<string | null> {
  const made = await trx
    .selectFrom('credit_notes')
    .select('id')
    .where('invoice_id', '=', invoiceId)
    .where('kind', '=', kind)
    .where('reason', '=', reason)
    .$if(amountCents !== null, (query) => query.where('amount_cents', '=', amountCents ?? 0))
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return made?.id ?? null;
}

/** What can still be given back of an invoice, and what of it is due. */
interface Left {
  left: number;
  /** 0 unless it is open. */
  due: number;
}

async function leftToCredit(trx: Trx, row: InvoiceRow): Promise<Left> {
  const uncredited = row.total_cents - row.credited_cents;
  if (row.provider_id === null) return { left: 0, due: 0 };
  if (row.status === 'paid') {
    // Money that went back without a credit note is not kept for the next invoice once more.
    const reversals = await listReversals(trx, [row.id]);
    const others = reversals.filter(({ credit_note_id }) => credit_note_id === null);
    return { left: Math.max(0, uncredited - goneOf(others)), due: 0 };
  }
  if (row.status !== 'open') return { left: 0, due: 0 };
  // A credit of an earlier invoice may already have lowered what is due, and a payment what remains of it.
  const due = row.amount_due_cents - row.amount_paid_cents - (await sumPending(trx, row.id, 'credit'));
  return { left: Math.max(0, Math.min(uncredited, due)), due };
}

/**
 * Returns the cents that cards have paid of a paid invoice: the rest was paid by other means. The provider can be asked before the transaction,
 * since no card pays a paid invoice.
 * @throws payments_unavailable
 */
async function sumPaidByCards(app: App, { provider_id, status }: InvoiceRow): Promise<number> {
  if (provider_id === null || status !== 'paid') return 0;
  const { provider } = await requirePayments(app).open();
  return askProvider(() => provider.sumPaidByCards(provider_id));
}

async function leftToRefund(trx: Trx, row: InvoiceRow, paidByCards: number): Promise<Left> {
  const gone = goneOf(await listReversals(trx, [row.id]));
  const paid = paidByCards - gone - (await sumPending(trx, row.id, 'refund'));
  return { left: Math.max(0, Math.min(row.total_cents - row.credited_cents, paid)), due: 0 };
}

/** Returns the cents that payers have back or their banks keep, without those that a bank rejected. */
function goneOf(reversals: readonly ReversalRow[]): number {
  return reversals
    .filter((each) => {
      const state = refundStateOf(each);
      if (state === null) return each.status === 'open' || each.status === 'lost';
      return state !== 'rejected';
    })
    .reduce((sum, { amount_cents }) => sum + amount_cents, 0);
}

/** Returns the cents of the credits that have not reached the provider yet. */
async function sumPending(trx: Trx, invoiceId: string, kind: CreditKind): Promise<number> {
  const { cents } = await trx
    .selectFrom('credit_notes')
    .select(({ fn }) => fn.sum('amount_cents').as('cents'))
    .where('invoice_id', '=', invoiceId)
    .where('kind', '=', kind)
    .where('provider_id', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(cents ?? 0);
}

import type Stripe from 'stripe';
import { PaymentError } from './payment-error.ts';
import type { CreatedCreditNote, PaymentProvider } from './payment-provider.ts';
import type { StripeCall } from './stripe-call.ts';
import { idOf } from './stripe-customers.ts';
import { KEY_FIELD } from './stripe-invoices.ts';
import { listAll } from './stripe-lists.ts';

/** How many credit notes of one invoice are searched for a key. */
const CREDITS_LOOKED_THROUGH = 100;
/** How many payments of one invoice are looked through. */
const PAYMENTS_LOOKED_THROUGH = 100;

/** The provider's calls for credit notes. */
export function stripeCredits(
  stripe: Stripe,
  call: StripeCall,
): Pick<PaymentProvider, 'createCreditNote' | 'sumPaidByCards'> {
  return {
    async sumPaidByCards(invoice) {
      const paid = await listPaid(stripe, call, invoice);
      return paid.reduce((sum, { cents }) => sum + cents, 0);
    },
    async createCreditNote(key, invoice, amount, { memo, kind }) {
      // In this order: what a lost response or another process has created by now is either found, or
      // requested with the same parameters.
      const { amount_remaining } = await call('invoice', () => stripe.invoices.retrieve(invoice));
      const listed = await call('list', () =>
        stripe.creditNotes.list({ invoice, limit: CREDITS_LOOKED_THROUGH }),
      );
      const made = listed.data.find(({ metadata }) => metadata?.[KEY_FIELD] === key);
      if (made) return toCreditNote(made);
      // One note either lowers what is due or is kept for the next invoice, so that its date says which.
      if (kind === 'credit' && amount_remaining > 0 && amount > amount_remaining) {
        throw new PaymentError(
          'invalid',
          'the credit is more than what remains to be paid',
          'amount_too_large',
        );
      }
      const params = {
        ...{ invoice, amount, memo, metadata: { [KEY_FIELD]: key } },
        // Portage sends its own message, with the reason in the language of its reader.
        email_type: 'none',
        ...(kind === 'refund'
          ? await refundOf(stripe, call, { key, invoice, amount })
          : amount_remaining === 0 && { credit_amount: amount }),
      } satisfies Stripe.CreditNoteCreateParams;
      const options = { idempotencyKey: `credit:${key}` };
      return toCreditNote(await call('credit_note', () => stripe.creditNotes.create(params, options)));
    },
  };
}

function toCreditNote({ id, refunds, pre_payment_amount }: Stripe.CreditNote): CreatedCreditNote {
  const refundIds = refunds.map(({ refund }) => idOf(refund)).filter((each) => each !== null);
  return { id, refundIds, isEarly: pre_payment_amount > 0 };
}

/**
 * Returns how a credit note gives money back. The provider itself refunds the only payment of an invoice; of several
 * payments, each gives back what is left of it, the oldest first, and the note names these refunds. `amount` is in cents.
 */
async function refundOf(
  stripe: Stripe,
  call: StripeCall,
  { key, invoice, amount }: { key: string; invoice: string; amount: number },
): Promise<Pick<Stripe.CreditNoteCreateParams, 'refund_amount' | 'refunds'>> {
  const payments = await listPayments(stripe, call, invoice);
  if (payments.length < 2) return { refund_amount: amount };
  const made = payments.flatMap(({ refunds }) =>
    refunds.filter(({ metadata }) => metadata?.[KEY_FIELD] === key),
  );
  let rest = amount - made.reduce((sum, refund) => sum + refund.amount, 0);
  if (payments.reduce((sum, { left }) => sum + left, 0) < rest) {
    // What was already refunded under this key is not undone: the note stays, and is shown as stuck.
    const code = made.length === 0 ? 'charge_already_refunded' : null;
    throw new PaymentError('invalid', 'less than the refund is left of the payments', code);
  }
  for (const { payment_intent, left } of payments) {
    const part = Math.min(left, rest);
    if (part === 0) continue;
    const params = { payment_intent, amount: part, metadata: { [KEY_FIELD]: key } };
    const options = { idempotencyKey: `refund:${key}:${payment_intent}:${part}` };
    made.push(await call('refund', () => stripe.refunds.create(params, options)));
    rest -= part;
  }
  return {
    refunds: made.map((refund) => ({ type: 'refund', refund: refund.id, amount_refunded: refund.amount })),
  };
}

interface Payment {
  payment_intent: string;
  /** Newest first. */
  refunds: Stripe.Refund[];
  /** What was neither given back nor taken back by a bank, in cents. */
  left: number;
}

/** Returns the payments of an invoice by cards, oldest first. */
async function listPayments(stripe: Stripe, call: StripeCall, invoice: string): Promise<Payment[]> {
  const found: Payment[] = [];
  for (const { payment_intent, cents } of await listPaid(stripe, call, invoice)) {
    const refunds = await listAll((page) =>
      call('list', () => stripe.refunds.list({ payment_intent, ...page })),
    );
    const disputes = await listAll((page) =>
      call('list', () => stripe.disputes.list({ payment_intent, ...page })),
    );
    const gone = [
      ...refunds.filter(({ status }) => status !== 'failed' && status !== 'canceled'),
      ...disputes.filter(({ status }) => !SETTLED.has(status)),
    ].reduce((sum, each) => sum + each.amount, 0);
    found.push({ payment_intent, refunds, left: Math.max(0, cents - gone) });
  }
  return found;
}

/** Returns the card payments of an invoice with their cents, oldest first; payments by other means are not among them. */
async function listPaid(
  stripe: Stripe,
  call: StripeCall,
  invoice: string,
): Promise<{ payment_intent: string; cents: number }[]> {
  const listed = await call('list', () =>
    stripe.invoicePayments.list({ invoice, status: 'paid', limit: PAYMENTS_LOOKED_THROUGH }),
  );
  return listed.data.toReversed().flatMap(({ payment, amount_paid }) => {
    const payment_intent = idOf(payment.payment_intent ?? null);
    return payment_intent === null ? [] : [{ payment_intent, cents: amount_paid ?? 0 }];
  });
}

/** Statuses of a dispute in which the bank keeps no money. */
const SETTLED: ReadonlySet<string> = new Set([
  'won',
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
  'prevented',
]);

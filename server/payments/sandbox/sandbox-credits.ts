import type Stripe from 'stripe';
import { type FormFields, listOf, textOf, textsOf, wholeOf } from './form.ts';
import { setDue } from './new-invoice.ts';
import { refundPayment } from './sandbox-reversals.ts';
import { listResponse, pageSizeOf, type SandboxRequest, type SandboxRoute } from './sandbox-route.ts';
import type { SandboxStore } from './sandbox-store.ts';
import { invalid } from './wire-error.ts';

export const creditRoutes: SandboxRoute[] = [
  {
    method: 'POST',
    path: '/v1/credit_notes',
    accepts: [
      'invoice',
      'amount',
      'memo',
      'email_type',
      'credit_amount',
      'refund_amount',
      'refunds',
      'metadata',
    ],
    run: createCreditNote,
  },
  {
    method: 'GET',
    path: '/v1/credit_notes',
    accepts: ['invoice', 'limit'],
    run: async ({ store, form, path }) =>
      listResponse(path, await store.list('credit_note', textOf(form, 'invoice') ?? '', pageSizeOf(form))),
  },
];

/**
 * Credits an open invoice, of which less is due then, or a paid one: to the customer's balance, to the card, or by
 * refunds that were made before.
 */
async function createCreditNote({ store, form }: SandboxRequest): Promise<Stripe.CreditNote> {
  const invoice = await store.get('invoice', textOf(form, 'invoice') ?? '');
  const amount = wholeOf(form, 'amount') ?? 0;
  const isOpen = invoice.status === 'open';
  requireCreditable(invoice, amount);
  const refunds = await findNamedRefunds(store, invoice, form);
  const refunded = wholeOf(form, 'refund_amount') ?? 0;
  const kept = wholeOf(form, 'credit_amount') ?? 0;
  const named = refunds.reduce((sum, { amount_refunded }) => sum + amount_refunded, 0);
  if (kept + refunded + named !== (isOpen ? 0 : amount)) {
    throw invalid(
      'The sum of credit and refund must equal what is credited after the payment.',
      'amount_mismatch',
    );
  }
  if (isOpen) await creditOpen(store, invoice, amount);
  else {
    invoice.post_payment_credit_notes_amount += amount;
    await keepForNextInvoice(store, invoice, kept);
    if (refunded > 0) {
      const payment = await paymentOf(store, invoice);
      refunds.push(toNoted(await refundPayment(store, payment, { amount: refunded })));
    }
  }
  await store.save<'invoice'>(invoice);
  const note = newCreditNote(store, form, { invoice, amount, isOpen, refunds });
  await store.insert('credit_note', note, invoice.id);
  await store.emit('credit_note.created', note);
  return note;
}

function requireCreditable(invoice: Stripe.Invoice, amount: number): void {
  const isOpen = invoice.status === 'open';
  if (!isOpen && invoice.status !== 'paid') {
    throw invalid('Only open and paid invoices can be credited.', 'status_transition_invalid', 'invoice');
  }
  const credited = invoice.pre_payment_credit_notes_amount + invoice.post_payment_credit_notes_amount;
  if (amount <= 0 || amount > (isOpen ? invoice.amount_remaining : invoice.total - credited)) {
    throw invalid('The credit is more than what is left of the invoice.', 'amount_too_large', 'amount');
  }
}

/** Returns the refunds that were made before and are part of the credit. */
async function findNamedRefunds(
  store: SandboxStore,
  invoice: Stripe.Invoice,
  form: FormFields,
): Promise<Stripe.CreditNote.Refund[]> {
  const refunds: Stripe.CreditNote.Refund[] = [];
  for (const named of listOf(form, 'refunds')) {
    const refund = await store.get('refund', textOf(named, 'refund') ?? '');
    if ((await store.parentOf(String(refund.payment_intent))) !== invoice.id) {
      throw invalid('The refund is of another invoice.', 'resource_missing', 'refunds');
    }
    refunds.push(toNoted(refund));
  }
  return refunds;
}

async function creditOpen(store: SandboxStore, invoice: Stripe.Invoice, amount: number): Promise<void> {
  invoice.pre_payment_credit_notes_amount += amount;
  setDue(invoice, invoice.amount_due - amount);
  if (invoice.amount_remaining > 0) return;
  invoice.status = 'paid';
  invoice.status_transitions.paid_at = store.seconds;
  await store.emit('invoice.paid', invoice);
}

async function keepForNextInvoice(
  store: SandboxStore,
  invoice: Stripe.Invoice,
  cents: number,
): Promise<void> {
  const customer = await store.get('customer', String(invoice.customer));
  customer.balance -= cents;
  await store.save<'customer'>(customer);
}

function toNoted({ id, amount }: Stripe.Refund): Stripe.CreditNote.Refund {
  return { amount_refunded: amount, payment_record_refund: null, refund: id, type: 'refund' };
}

/** Returns the only payment of an invoice by a card. */
async function paymentOf(store: SandboxStore, invoice: Stripe.Invoice): Promise<string> {
  const [paid, another] = await store.list('invoice_payment', invoice.id, 2);
  const intent = paid?.payment.payment_intent;
  if (another) throw invalid('Several charges have paid the invoice.', 'parameter_invalid', 'refund_amount');
  if (typeof intent !== 'string') throw invalid('No charge has paid the invoice.', 'charge_not_refundable');
  return intent;
}

function newCreditNote(
  store: SandboxStore,
  form: FormFields,
  credit: {
    invoice: Stripe.Invoice;
    amount: number;
    isOpen: boolean;
    refunds: Stripe.CreditNote.Refund[];
  },
): Stripe.CreditNote {
  const { invoice, amount, isOpen, refunds } = credit;
  const id = store.newId('credit_note');
  return {
    id,
    object: 'credit_note',
    amount,
    amount_shipping: 0,
    created: store.seconds,
    currency: 'cad',
    customer: String(invoice.customer),
    customer_account: null,
    customer_balance_transaction: null,
    discount_amount: 0,
    discount_amounts: [],
    effective_at: store.seconds,
    invoice: invoice.id,
    lines: { object: 'list', data: [], has_more: false, url: `/v1/credit_notes/${id}/lines` },
    livemode: false,
    memo: textOf(form, 'memo') || null,
    metadata: textsOf(form, 'metadata'),
    number: `${invoice.number}-CN-${id.slice(-4)}`,
    out_of_band_amount: null,
    pdf: '',
    post_payment_amount: isOpen ? 0 : amount,
    pre_payment_amount: isOpen ? amount : 0,
    pretax_credit_amounts: [],
    reason: null,
    refunds,
    shipping_cost: null,
    status: 'issued',
    subtotal: amount,
    subtotal_excluding_tax: amount,
    total: amount,
    total_excluding_tax: amount,
    total_taxes: [],
    type: isOpen ? 'pre_payment' : 'post_payment',
    voided_at: null,
  };
}

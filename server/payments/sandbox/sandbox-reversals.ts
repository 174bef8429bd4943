import type Stripe from 'stripe';
import { fieldsOf, textOf, textsOf, wholeOf } from './form.ts';
import { listResponse, pageSizeOf, type SandboxRequest, type SandboxRoute } from './sandbox-route.ts';
import type { SandboxStore } from './sandbox-store.ts';
import { behaviourOf } from './test-cards.ts';
import { invalid } from './wire-error.ts';

/** Payments of one invoice that are looked through. */
const PAYMENTS_MAX = 10;
const SELECTION = ['payment_intent', 'created', 'limit', 'starting_after'];

export const reversalRoutes: SandboxRoute[] = [
  {
    method: 'GET',
    path: '/v1/invoice_payments',
    accepts: ['invoice', 'payment', 'status', 'limit'],
    run: listPayments,
  },
  {
    method: 'GET',
    path: '/v1/charges/:id',
    accepts: [],
    run: ({ store, ids }) => store.get('charge', ids[0]),
  },
  {
    method: 'POST',
    path: '/v1/refunds',
    accepts: ['payment_intent', 'amount', 'reason', 'metadata'],
    run: createRefund,
  },
  {
    method: 'GET',
    path: '/v1/refunds',
    accepts: SELECTION,
    run: (request) => listReversals(request, 'refund'),
  },
  {
    method: 'GET',
    path: '/v1/refunds/:id',
    accepts: [],
    run: async ({ store, ids }) => followBank(store, await store.get('refund', ids[0])),
  },
  {
    method: 'GET',
    path: '/v1/disputes',
    accepts: SELECTION,
    run: (request) => listReversals(request, 'dispute'),
  },
  {
    method: 'GET',
    path: '/v1/disputes/:id',
    accepts: [],
    run: ({ store, ids }) => store.get('dispute', ids[0]),
  },
  { method: 'POST', path: '/v1/disputes/:id', accepts: ['evidence', 'submit'], run: submitEvidence },
  { method: 'POST', path: '/v1/disputes/:id/close', accepts: [], run: closeDispute },
];

async function listPayments({ store, form, path }: SandboxRequest) {
  const intent = textOf(fieldsOf(form, 'payment'), 'payment_intent');
  const invoice = intent === undefined ? (textOf(form, 'invoice') ?? '') : await store.parentOf(intent);
  const listed = await store.list('invoice_payment', invoice, PAYMENTS_MAX);
  const isWanted = ({ payment }: Stripe.InvoicePayment) =>
    intent === undefined || payment.payment_intent === intent;
  return listResponse(path, listed.filter(isWanted).slice(0, pageSizeOf(form)));
}

async function listReversals({ store, form, path }: SandboxRequest, kind: 'refund' | 'dispute') {
  const intent = textOf(form, 'payment_intent');
  const since = wholeOf(fieldsOf(form, 'created'), 'gte') ?? 0;
  const after = textOf(form, 'starting_after');
  const find = <K extends 'refund' | 'dispute'>(of: K) =>
    intent === undefined ? store.listSince(of, since, LISTED_MAX) : store.list(of, intent, LISTED_MAX);
  const all: { id: string }[] = [];
  if (kind === 'dispute') all.push(...(await find('dispute')));
  else for (const refund of await find('refund')) all.push(await followBank(store, refund));
  const rest = after === undefined ? all : all.slice(all.findIndex(({ id }) => id === after) + 1);
  const size = pageSizeOf(form);
  return listResponse(path, rest.slice(0, size), rest.length > size);
}

/** More than anybody makes while trying things out. */
const LISTED_MAX = 1_000;

function createRefund({ store, form }: SandboxRequest): Promise<Stripe.Refund> {
  return refundPayment(store, textOf(form, 'payment_intent') ?? '', {
    amount: wholeOf(form, 'amount'),
    reason: textOf(form, 'reason'),
    metadata: textsOf(form, 'metadata'),
  });
}

/** Gives back a part of a payment, or what is left of it. */
export async function refundPayment(
  store: SandboxStore,
  payment: string,
  given: { amount: number | undefined; reason?: string | undefined; metadata?: Record<string, string> },
): Promise<Stripe.Refund> {
  const intent = await store.get('payment_intent', payment);
  const charge = await store.get('charge', String(intent.latest_charge));
  const left = charge.amount - charge.amount_refunded;
  const amount = given.amount ?? left;
  if (charge.disputed) throw invalid('The charge has been charged back.', 'charge_disputed');
  if (left === 0) throw invalid('The charge has already been refunded.', 'charge_already_refunded');
  if (amount <= 0 || amount > left) {
    throw invalid('The refund is more than what is left of the charge.', 'amount_too_large', 'amount');
  }
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  await store.save<'charge'>(charge);
  const refund: Stripe.Refund = {
    id: store.newId('refund'),
    object: 'refund',
    amount,
    balance_transaction: null,
    charge: charge.id,
    created: store.seconds,
    currency: 'cad',
    customer: charge.customer,
    customer_account: null,
    metadata: given.metadata ?? {},
    payment_intent: intent.id,
    payment_method: charge.payment_method,
    reason: given.reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
  const ending = await endingOf(store, refund);
  if (ending?.status === 'succeeded') refund.status = 'pending';
  await store.insert('refund', refund, intent.id);
  await store.emit('refund.created', refund);
  await store.emit('charge.refunded', charge);
  if (ending) await store.emit(ending.event, { ...refund, ...ending.values }, BANK_DECIDES_AFTER_MS);
  return refund;
}

/** How long the bank of a card takes that decides about refunds later. */
const BANK_DECIDES_AFTER_MS = 60_000;

/** Returns how the bank of a card ends a refund later; null when it ends at once. */
async function endingOf(store: SandboxStore, { payment_method }: Stripe.Refund) {
  const card = await store.get('payment_method', String(payment_method));
  switch (behaviourOf(card.card?.fingerprint)) {
    case 'delays_refunds':
      return { status: 'succeeded', event: 'refund.updated', values: { status: 'succeeded' } } as const;
    case 'rejects_refunds': {
      const values = { status: 'failed', failure_reason: 'expired_or_canceled_card' } as const;
      return { status: 'failed', event: 'refund.failed', values } as const;
    }
    default:
      return null;
  }
}

/** Returns a refund as the bank has it by now: money that it rejected is on the charge again. */
async function followBank(store: SandboxStore, refund: Stripe.Refund): Promise<Stripe.Refund> {
  const ending = await endingOf(store, refund);
  const isDecided = store.now >= refund.created * 1_000 + BANK_DECIDES_AFTER_MS;
  if (!ending || !isDecided || refund.status === ending.status) return refund;
  const charge = await store.get('charge', String(refund.charge));
  // Another request may have written it before the charge was locked.
  const current = await store.get('refund', refund.id);
  if (current.status === ending.status) return current;
  if (ending.status === 'failed') {
    charge.amount_refunded -= current.amount;
    charge.refunded = false;
    await store.save<'charge'>(charge);
  }
  const decided: Stripe.Refund = { ...current, ...ending.values };
  await store.save<'refund'>(decided);
  return decided;
}

/** The texts by which Stripe's test mode, too, decides a dispute. */
const DECIDED_BY: Record<string, 'won' | 'lost'> = { winning_evidence: 'won', losing_evidence: 'lost' };

async function submitEvidence({ store, ids, form }: SandboxRequest): Promise<Stripe.Dispute> {
  const text = textOf(fieldsOf(form, 'evidence'), 'uncategorized_text') ?? '';
  return decide(store, ids[0], DECIDED_BY[text] ?? 'under_review');
}

function closeDispute({ store, ids }: SandboxRequest): Promise<Stripe.Dispute> {
  return decide(store, ids[0], 'lost');
}

async function decide(
  store: SandboxStore,
  id: string,
  status: Stripe.Dispute.Status,
): Promise<Stripe.Dispute> {
  const dispute = await store.get('dispute', id);
  if (dispute.status === 'won' || dispute.status === 'lost') {
    throw invalid('This dispute is already closed.', 'dispute_closed');
  }
  dispute.status = status;
  await store.save<'dispute'>(dispute);
  await store.emit(status === 'under_review' ? 'charge.dispute.updated' : 'charge.dispute.closed', dispute);
  return dispute;
}

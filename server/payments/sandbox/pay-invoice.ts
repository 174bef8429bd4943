import type Stripe from 'stripe';
import { textOf, wholeOf } from './form.ts';
import { attachPayment, insertCharge, insertPayment } from './insert-payment.ts';
import { CHARGE_MIN_CENTS } from './sandbox-amounts.ts';
import { chargeAway } from './sandbox-cards.ts';
import type { SandboxRequest } from './sandbox-route.ts';
import { newSandboxId, type SandboxStore } from './sandbox-store.ts';
import { invalid, WireError } from './wire-error.ts';

/**
 * Charges an open invoice, or records that it was paid by other means. A decline is an error, and is stored.
 */
export async function payInvoice({ store, ids, form }: SandboxRequest): Promise<Stripe.Invoice> {
  const invoice = await store.get('invoice', ids[0]);
  if (invoice.status === 'paid') throw invalid('Invoice is already paid', 'invoice_already_paid');
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') {
    throw invalid('Only open invoices can be paid.', 'status_transition_invalid');
  }
  if (textOf(form, 'paid_out_of_band') === 'true') return settle(store, invoice);
  if (invoice.amount_remaining < CHARGE_MIN_CENTS) {
    throw invalid('The amount is less than what a card can be charged.', 'amount_too_small');
  }
  const method = await store.get('payment_method', textOf(form, 'payment_method') ?? '');
  if (method.customer !== invoice.customer) {
    throw invalid('The payment method belongs to no or another customer.', 'payment_method_unexpected_state');
  }
  invoice.attempted = true;
  invoice.attempt_count += 1;
  const isPresent = textOf(form, 'sandbox_authentication') === 'complete';
  const outcome = chargeAway(method);
  const [customer, amount] = [String(invoice.customer), invoice.amount_remaining];
  if (outcome === 'works' || (outcome === 'authenticates' && isPresent)) {
    await insertPayment(
      store,
      invoice,
      newPaymentIntent(store, { customer, amount, method: method.id }),
      method,
    );
    return settle(store, invoice);
  }
  const isAsked = outcome === 'authenticates';
  const intent = newPaymentIntent(store, { customer, amount, method: method.id, isAsked });
  await store.insert('payment_intent', intent, invoice.id);
  await store.save<'invoice'>(invoice);
  await store.emit(isAsked ? 'invoice.payment_action_required' : 'invoice.payment_failed', invoice);
  throw new WireError(402, {
    type: 'card_error',
    ...(isAsked
      ? {
          code: 'invoice_payment_intent_requires_action',
          message: 'This payment requires additional user action before it can be completed successfully.',
        }
      : {
          code: 'card_declined',
          decline_code: 'generic_decline',
          message: 'Your card was declined.',
        }),
    payment_intent: intent,
  });
}

/** Charges a card with an amount that no invoice asks for. */
export async function createPayment({ store, form }: SandboxRequest): Promise<Stripe.PaymentIntent> {
  const method = await store.get('payment_method', textOf(form, 'payment_method') ?? '');
  const amount = wholeOf(form, 'amount') ?? 0;
  if (amount < CHARGE_MIN_CENTS) {
    throw invalid('The amount is less than what a card can be charged.', 'amount_too_small', 'amount');
  }
  const intent = newPaymentIntent(store, {
    ...{ customer: String(method.customer), amount, method: method.id },
  });
  await insertCharge(store, intent, method);
  return intent;
}

/** Makes a payment one of an open invoice, which is paid once the whole amount is. */
export async function attachPaymentTo({ store, ids, form }: SandboxRequest): Promise<Stripe.Invoice> {
  const invoice = await store.get('invoice', ids[0]);
  if (invoice.status !== 'open') {
    throw invalid('Payments can only be attached to open invoices.', 'status_transition_invalid');
  }
  const intent = await store.get('payment_intent', textOf(form, 'payment_intent') ?? '');
  if (intent.amount > invoice.amount_remaining) {
    throw invalid('The payment is more than what remains of the invoice.', 'amount_too_large');
  }
  await attachPayment(store, invoice, intent);
  invoice.amount_paid += intent.amount;
  invoice.amount_remaining -= intent.amount;
  if (invoice.amount_remaining === 0) return settle(store, invoice);
  await store.save<'invoice'>(invoice);
  await store.emit('invoice.updated', invoice);
  return invoice;
}

async function settle(store: SandboxStore, invoice: Stripe.Invoice): Promise<Stripe.Invoice> {
  invoice.status = 'paid';
  invoice.amount_paid = invoice.amount_due;
  invoice.amount_remaining = 0;
  invoice.status_transitions.paid_at = store.seconds;
  await store.save<'invoice'>(invoice);
  await store.emit('invoice.paid', invoice);
  return invoice;
}

interface AskedPayment {
  customer: string;
  /** Cents. */
  amount: number;
  /** The id of the payment method. */
  method: string;
  /** Whether the holder of the card is asked first. */
  isAsked?: boolean;
}

function newPaymentIntent(
  store: SandboxStore,
  { customer, amount, method, isAsked = false }: AskedPayment,
): Stripe.PaymentIntent {
  const id = store.newId('payment_intent');
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: ['card'],
    amount,
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic',
    client_secret: newSandboxId(`${id}_secret`),
    confirmation_method: 'automatic',
    created: store.seconds,
    currency: 'cad',
    customer,
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: {},
    next_action: isAsked ? { type: 'use_stripe_sdk', use_stripe_sdk: {} } : null,
    on_behalf_of: null,
    payment_method: method,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: isAsked ? 'requires_action' : 'requires_payment_method',
    transfer_group: null,
  };
}

import type Stripe from 'stripe';
import { type FormFields, fieldsOf, textOf, wholeOf } from './form.ts';
import { listResponse, pageSizeOf, type SandboxRequest, type SandboxRoute } from './sandbox-route.ts';
import { newSandboxId, type SandboxStore } from './sandbox-store.ts';
import { behaviourOf, findTestCard, fingerprintOf, type TestCard } from './test-cards.ts';
import { invalid, missing, WireError } from './wire-error.ts';

export const cardRoutes: SandboxRoute[] = [
  {
    method: 'POST',
    path: '/v1/setup_intents',
    accepts: ['customer', 'usage', 'allowed_payment_method_types', 'metadata'],
    run: createSetup,
  },
  { method: 'GET', path: '/v1/setup_intents/:id', accepts: ['client_secret'], isOpen: true, run: getSetup },
  {
    method: 'POST',
    path: '/v1/setup_intents/:id/confirm',
    accepts: ['client_secret', 'payment_method_data', 'sandbox_authentication'],
    isOpen: true,
    run: confirmSetup,
  },
  {
    method: 'GET',
    path: '/v1/payment_methods/:id',
    accepts: [],
    run: ({ store, ids }) => store.get('payment_method', ids[0]),
  },
  {
    method: 'GET',
    path: '/v1/payment_methods',
    accepts: ['customer', 'type', 'limit'],
    run: async ({ store, form, path }) =>
      listResponse(
        path,
        await store.list('payment_method', textOf(form, 'customer') ?? '', pageSizeOf(form)),
      ),
  },
  { method: 'POST', path: '/v1/payment_methods/:id/detach', accepts: [], run: detachCard },
];

async function createSetup({ store, form }: SandboxRequest): Promise<Stripe.SetupIntent> {
  const customer = await store.get('customer', textOf(form, 'customer') ?? '');
  const types = Object.values(fieldsOf(form, 'allowed_payment_method_types'));
  if (types.length !== 1 || types[0] !== 'card') {
    throw invalid('The sandbox knows cards only.', 'parameter_invalid_empty', 'allowed_payment_method_types');
  }
  const id = store.newId('setup_intent');
  const intent: Stripe.SetupIntent = {
    id,
    object: 'setup_intent',
    allowed_payment_method_types: ['card'],
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    client_secret: newSandboxId(`${id}_secret`),
    created: store.seconds,
    customer: customer.id,
    description: null,
    excluded_payment_method_types: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: 'requires_payment_method',
    usage: textOf(form, 'usage') ?? 'off_session',
  };
  await store.insert('setup_intent', intent, customer.id);
  return intent;
}

async function getSetup(request: SandboxRequest): Promise<Stripe.SetupIntent> {
  const intent = await request.store.get('setup_intent', request.ids[0]);
  requireSecret(request, intent);
  return intent;
}

/** A browser sends an intent and its secret; with a wrong one the intent does not exist. */
function requireSecret({ isPublic, form }: SandboxRequest, intent: Stripe.SetupIntent): void {
  if (isPublic && textOf(form, 'client_secret') !== intent.client_secret) {
    throw missing('setup_intent', intent.id);
  }
}

async function confirmSetup(request: SandboxRequest): Promise<Stripe.SetupIntent> {
  const { store, form } = request;
  const intent = await getSetup(request);
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    throw invalid('You cannot confirm this SetupIntent again.', 'setup_intent_unexpected_state');
  }
  const answered = textOf(form, 'sandbox_authentication');
  if (intent.status === 'requires_action' && answered !== undefined) {
    return answered === 'complete' ? attachPending(store, intent) : failSetup(store, intent);
  }
  const sent = fieldsOf(fieldsOf(form, 'payment_method_data'), 'card');
  const card = findTestCard(textOf(sent, 'number') ?? '');
  if (!card) {
    throw new WireError(402, {
      type: 'card_error',
      code: 'incorrect_number',
      message: 'Only test cards work here, for example 4242 4242 4242 4242.',
    });
  }
  if (card.behaviour === 'declines') {
    throw new WireError(402, {
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'generic_decline',
      message: 'Your card was declined.',
      setup_intent: intent,
    });
  }
  const method = newCard(store, card, sent);
  await store.insert('payment_method', method, '');
  intent.payment_method = method.id;
  if (card.behaviour !== 'authenticates') return attachPending(store, intent);
  intent.status = 'requires_action';
  intent.next_action = { type: 'use_stripe_sdk', use_stripe_sdk: {} };
  await store.save<'setup_intent'>(intent);
  return intent;
}

/** Attaches the card that is pending in an intent to the customer. */
async function attachPending(store: SandboxStore, intent: Stripe.SetupIntent): Promise<Stripe.SetupIntent> {
  const customer = String(intent.customer);
  const method = await store.get('payment_method', String(intent.payment_method));
  method.customer = customer;
  await store.save<'payment_method'>(method, customer);
  intent.status = 'succeeded';
  intent.next_action = null;
  await store.save<'setup_intent'>(intent);
  await store.emit('payment_method.attached', method);
  await store.emit('setup_intent.succeeded', intent);
  return intent;
}

async function failSetup(store: SandboxStore, intent: Stripe.SetupIntent): Promise<Stripe.SetupIntent> {
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.next_action = null;
  intent.last_setup_error = {
    type: 'invalid_request_error',
    code: 'setup_intent_authentication_failure',
    message: 'We are unable to authenticate your payment method.',
  };
  await store.save<'setup_intent'>(intent);
  await store.emit('setup_intent.setup_failed', intent);
  return intent;
}

function newCard(store: SandboxStore, card: TestCard, sent: FormFields): Stripe.PaymentMethod {
  const month = wholeOf(sent, 'exp_month') ?? 12;
  const year = wholeOf(sent, 'exp_year') ?? new Date(store.now).getUTCFullYear() + 3;
  if (month < 1 || month > 12) throw invalid('The month is not valid.', 'invalid_expiry_month', 'exp_month');
  if (Date.UTC(year, month, 1) <= store.now) {
    throw invalid('The card has expired.', 'invalid_expiry_year', 'exp_year');
  }
  return {
    id: store.newId('payment_method'),
    object: 'payment_method',
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    card: {
      brand: card.brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'CA',
      display_brand: card.brand,
      exp_month: month,
      exp_year: year,
      fingerprint: fingerprintOf(card.behaviour),
      funding: 'credit',
      generated_from: null,
      last4: card.last4,
      networks: { available: [card.brand], preferred: null },
      regulated_status: null,
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: store.seconds,
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  };
}

async function detachCard({ store, ids }: SandboxRequest): Promise<Stripe.PaymentMethod> {
  const method = await store.get('payment_method', ids[0]);
  if (method.customer === null) {
    throw invalid('The payment method is attached to no customer.', 'payment_method_unexpected_state');
  }
  const customer = await store.get('customer', String(method.customer));
  if (customer.invoice_settings.default_payment_method === method.id) {
    customer.invoice_settings.default_payment_method = null;
    await store.save<'customer'>(customer);
  }
  method.customer = null;
  await store.save<'payment_method'>(method, '');
  await store.emit('payment_method.detached', method);
  return method;
}

/** The outcome of charging a card without its holder present. */
export function chargeAway(method: Stripe.PaymentMethod): 'works' | 'declines' | 'authenticates' {
  const behaviour = behaviourOf(method.card?.fingerprint);
  if (behaviour === 'declines' || behaviour === 'declines_later') return 'declines';
  return behaviour === 'authenticates' ? behaviour : 'works';
}

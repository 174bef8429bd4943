import type Stripe from 'stripe';
import type { SandboxStore } from './sandbox-store.ts';
import { behaviourOf } from './test-cards.ts';

/** Stores the payment of an invoice by a card, with its charge; a card that disputes does so at once. */
export async function insertPayment(
  store: SandboxStore,
  invoice: Stripe.Invoice,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
): Promise<void> {
  await insertCharge(store, intent, method);
  await attachPayment(store, invoice, intent);
}

/** Stores a payment by a card that belongs to no invoice, with its charge. */
export async function insertCharge(
  store: SandboxStore,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
): Promise<void> {
  const charge = newCharge(store, intent, method);
  Object.assign(intent, {
    amount_received: intent.amount,
    latest_charge: charge.id,
    status: 'succeeded',
  } satisfies Partial<Stripe.PaymentIntent>);
  await store.insert('payment_intent', intent, '');
  await store.insert('charge', charge, intent.id);
  if (behaviourOf(method.card?.fingerprint) !== 'disputes') return;
  const dispute = newDispute(store, charge, intent);
  await store.insert('dispute', dispute, intent.id);
  await store.emit('charge.dispute.created', dispute);
}

/** Makes a payment one of an invoice. */
export async function attachPayment(
  store: SandboxStore,
  invoice: Stripe.Invoice,
  intent: Stripe.PaymentIntent,
): Promise<void> {
  await store.save<'payment_intent'>(intent, invoice.id);
  const payment: Stripe.InvoicePayment = {
    id: store.newId('invoice_payment'),
    object: 'invoice_payment',
    amount_paid: intent.amount,
    amount_requested: intent.amount,
    created: store.seconds,
    currency: 'cad',
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { type: 'payment_intent', payment_intent: intent.id },
    status: 'paid',
    status_transitions: { canceled_at: null, paid_at: store.seconds },
  };
  await store.insert('invoice_payment', payment, invoice.id);
}

function newCharge(
  store: SandboxStore,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
): Stripe.Charge {
  return {
    id: store.newId('charge'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: intent.amount,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: null,
    captured: true,
    created: store.seconds,
    currency: 'cad',
    customer: String(intent.customer),
    description: null,
    disputed: behaviourOf(method.card?.fingerprint) === 'disputes',
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: null,
    livemode: false,
    metadata: {},
    on_behalf_of: null,
    outcome: null,
    paid: true,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: null,
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'succeeded',
    transfer_data: null,
    transfer_group: null,
  };
}

/** How long a bank waits for evidence. */
const EVIDENCE_WITHIN_SECONDS = 9 * 86_400;

function newDispute(
  store: SandboxStore,
  charge: Stripe.Charge,
  intent: Stripe.PaymentIntent,
): Stripe.Dispute {
  return {
    id: store.newId('dispute'),
    object: 'dispute',
    amount: charge.amount,
    balance_transactions: [],
    charge: charge.id,
    created: store.seconds,
    currency: 'cad',
    enhanced_eligibility_types: [],
    evidence: { ...NO_EVIDENCE, enhanced_evidence: {} },
    evidence_details: {
      due_by: store.seconds + EVIDENCE_WITHIN_SECONDS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: intent.id,
    reason: 'fraudulent',
    status: 'needs_response',
  };
}

const NO_EVIDENCE: Omit<Stripe.Dispute.Evidence, 'enhanced_evidence'> = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};

import Stripe from 'stripe';
import { PaymentError } from './payment-error.ts';
import type {
  InvoiceLineDraft,
  PaymentProvider,
  PayOutcome,
  ProviderInvoice,
  ProviderInvoiceStatus,
} from './payment-provider.ts';
import type { StripeCall } from './stripe-call.ts';
import { idOf } from './stripe-customers.ts';

/** In the metadata of each of our objects. */
export const KEY_FIELD = 'portage_key';
const CURRENCY = 'cad';
/** How many invoices of one customer are searched for a key, newest first: two years of months. */
const INVOICES_LOOKED_THROUGH = 24;
/** Operators see a reason up to this length. */
const DETAIL_LENGTH_MAX = 200;

const STATUSES: readonly ProviderInvoiceStatus[] = ['draft', 'open', 'paid', 'void', 'uncollectible'];

/** The decline codes after which only the payer can continue. */
const AUTHENTICATION_CODES: ReadonlySet<string> = new Set([
  'authentication_required',
  'invoice_payment_intent_requires_action',
  'payment_intent_action_required',
]);

type InvoiceCalls = Pick<
  PaymentProvider,
  | 'findInvoice'
  | 'createInvoice'
  | 'addInvoiceLines'
  | 'finalizeInvoice'
  | 'payInvoice'
  | 'markPaidElsewhere'
  | 'voidInvoice'
  | 'deleteDraft'
  | 'getInvoice'
>;

/** The provider's calls for invoices. */
export function stripeInvoices(stripe: Stripe, call: StripeCall): InvoiceCalls {
  const get = async (id: string) => toInvoice(await call('invoice', () => stripe.invoices.retrieve(id)));
  return {
    getInvoice: get,
    async findInvoice(customerId, key) {
      const listed = await call('list', () =>
        stripe.invoices.list({ customer: customerId, limit: INVOICES_LOOKED_THROUGH }),
      );
      const found = listed.data.find(({ metadata }) => metadata?.[KEY_FIELD] === key);
      return found ? toInvoice(found) : null;
    },
    async createInvoice({ key, customerId, organizationId, description, footer, replaces }) {
      const params = {
        customer: customerId,
        currency: CURRENCY,
        auto_advance: false,
        collection_method: 'charge_automatically',
        pending_invoice_items_behavior: 'exclude',
        payment_settings: { payment_method_types: ['card'] },
        description,
        footer,
        metadata: { [KEY_FIELD]: key, organization_id: organizationId },
      } satisfies Stripe.InvoiceCreateParams;
      // For a day, the provider answers a repeated key with what it created for it, even if that is deleted.
      const attempt = [key, customerId, ...(replaces === null ? [] : [replaces])].join(':');
      const options = { idempotencyKey: `invoice:${attempt}` };
      return toInvoice(await call('invoice', () => stripe.invoices.create(params, options)));
    },
    async addInvoiceLines(id, key, lines) {
      const params = { lines: lines.map(lineParams) };
      const options = { idempotencyKey: `lines:${key}:${id}` };
      return toInvoice(await call('invoice', () => stripe.invoices.addLines(id, params, options)));
    },
    async finalizeInvoice(id, key) {
      const options = { idempotencyKey: `finalize:${key}:${id}` };
      const params = { auto_advance: false };
      return toInvoice(await call('invoice', () => stripe.invoices.finalizeInvoice(id, params, options)));
    },
    async payInvoice(id, key, cardId) {
      const params = { off_session: true, payment_method: cardId };
      const options = { idempotencyKey: `pay:${key}` };
      try {
        const { status } = await call('invoice', () => stripe.invoices.pay(id, params, options));
        return status === 'paid'
          ? { outcome: 'paid', detail: null }
          : { outcome: 'failed', detail: `the invoice is ${status}` };
      } catch (error) {
        const refusal = toOutcome(error);
        // Paid in the meantime, by any means: that was the goal.
        if (refusal?.outcome === 'failed' && (await get(id)).status === 'paid') {
          return { outcome: 'paid', detail: null };
        }
        if (refusal) return refusal;
        throw error;
      }
    },
    async markPaidElsewhere(id, key) {
      const options = { idempotencyKey: `elsewhere:${key}` };
      const params = { paid_out_of_band: true };
      return toInvoice(await call('invoice', () => stripe.invoices.pay(id, params, options)));
    },
    async voidInvoice(id, key) {
      const options = { idempotencyKey: `void:${key}` };
      return toInvoice(await call('invoice', () => stripe.invoices.voidInvoice(id, {}, options)));
    },
    async deleteDraft(id) {
      await call('invoice', () => stripe.invoices.del(id));
    },
  };
}

function lineParams({ description, amountCents, period, taxes }: InvoiceLineDraft) {
  return {
    description,
    amount: amountCents,
    discountable: false,
    period: { start: seconds(period.start), end: seconds(period.end) },
    tax_amounts: taxes.map(({ name, label, rateMilli, province, amountCents: amount }) => ({
      amount,
      taxable_amount: amountCents,
      tax_rate_data: {
        display_name: label,
        percentage: rateMilli / 1_000,
        inclusive: false,
        country: 'CA',
        state: province,
        tax_type: name.toLowerCase(),
      },
    })),
  } satisfies Stripe.InvoiceAddLinesParams.Line;
}

const seconds = (epochMs: number) => Math.floor(epochMs / 1_000);

/** Returns the outcome of a payment that ended in this error, or null when it is not a decline. */
function toOutcome(error: unknown): PayOutcome | null {
  if (!(error instanceof PaymentError)) return null;
  // A missing card is treated like a declined one.
  if (error.kind !== 'invalid' && error.kind !== 'missing') return null;
  const cause = error.cause;
  const declined = cause instanceof Stripe.errors.StripeCardError ? cause.decline_code : undefined;
  const detail = (declined ?? error.code ?? 'refused').slice(0, DETAIL_LENGTH_MAX);
  const codes = [error.code, declined];
  if (codes.some((code) => AUTHENTICATION_CODES.has(code ?? '')))
    return { outcome: 'authentication', detail };
  return { outcome: cause instanceof Stripe.errors.StripeCardError ? 'declined' : 'failed', detail };
}

function toInvoice(invoice: Stripe.Invoice): ProviderInvoice {
  return {
    id: invoice.id,
    key: invoice.metadata?.[KEY_FIELD] ?? null,
    customerId: idOf(invoice.customer),
    status: toStatus(invoice.status),
    number: invoice.number,
    subtotalCents: invoice.subtotal,
    taxCents: (invoice.total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0),
    totalCents: invoice.total,
    startingBalanceCents: invoice.status === 'draft' ? null : invoice.starting_balance,
    amountDueCents: invoice.amount_due,
    amountPaidCents: invoice.amount_paid,
    amountRemainingCents: invoice.amount_remaining,
    lineCount: invoice.lines.has_more ? null : invoice.lines.data.length,
    hostedUrl: invoice.hosted_invoice_url ?? null,
  };
}

function toStatus(status: string | null): ProviderInvoiceStatus {
  const known = STATUSES.find((each) => each === status);
  if (known === undefined) {
    throw new PaymentError('unavailable', 'the payment provider has an invoice of an unknown status');
  }
  return known;
}

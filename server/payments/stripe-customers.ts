import type Stripe from 'stripe';
import { PaymentError } from './payment-error.ts';
import type {
  Card,
  CardSetup,
  PayerProfile,
  PayerTaxId,
  PayerTaxIdType,
  PaymentProvider,
} from './payment-provider.ts';
import type { StripeCall } from './stripe-call.ts';

/** More cards than an organization may have; a longer list is cut. */
const CARDS_MAX = 100;
const TAX_ID_TYPES: readonly string[] = ['ca_gst_hst', 'ca_qst'] satisfies PayerTaxIdType[];

type CustomerCalls = Pick<
  PaymentProvider,
  | 'createCustomer'
  | 'isCustomerDeleted'
  | 'updateCustomer'
  | 'setTaxIds'
  | 'createSetup'
  | 'getSetup'
  | 'getCard'
  | 'listCards'
  | 'detachCard'
>;

/** The provider's calls for customers and their cards. */
export function stripeCustomers(stripe: Stripe, call: StripeCall): CustomerCalls {
  return {
    async createCustomer(key, profile) {
      const { id } = await call('customer', () =>
        stripe.customers.create(withoutEmpty(profileParams(profile)), { idempotencyKey: key }),
      );
      return { id };
    },
    async isCustomerDeleted(id) {
      const customer = await call('customer', () => stripe.customers.retrieve(id));
      return customer.deleted === true;
    },
    async updateCustomer(id, profile, defaultCardId) {
      const invoice_settings = { default_payment_method: defaultCardId ?? '' };
      await call('customer', () =>
        stripe.customers.update(id, { ...profileParams(profile), invoice_settings }),
      );
    },
    async setTaxIds(customerId, wanted) {
      const listed = await call('list', () => stripe.customers.listTaxIds(customerId, { limit: CARDS_MAX }));
      const known = listed.data.filter(({ type }) => TAX_ID_TYPES.includes(type));
      const isWanted = (taxId: Stripe.TaxId) =>
        wanted.some(({ type, value }) => type === taxId.type && value === taxId.value);
      for (const taxId of known.filter((each) => !isWanted(each))) {
        await call('tax_id', () => stripe.customers.deleteTaxId(customerId, taxId.id));
      }
      const missing = wanted.filter(
        ({ type, value }) => !known.some((k) => k.type === type && k.value === value),
      );
      for (const taxId of missing) await createTaxId(stripe, call, customerId, taxId);
    },
    async createSetup(key, customerId) {
      const intent = await call('setup_intent', () =>
        stripe.setupIntents.create(
          { customer: customerId, usage: 'off_session', allowed_payment_method_types: ['card'] },
          { idempotencyKey: key },
        ),
      );
      if (intent.client_secret === null) {
        throw new PaymentError('unavailable', 'the payment provider gave no client secret');
      }
      return { id: intent.id, clientSecret: intent.client_secret };
    },
    async getSetup(id) {
      return toSetup(await call('setup_intent', () => stripe.setupIntents.retrieve(id)));
    },
    async getCard(id) {
      return toCard(await call('payment_method', () => stripe.paymentMethods.retrieve(id)));
    },
    async listCards(customerId) {
      const listed = await call('list', () =>
        stripe.paymentMethods.list({ customer: customerId, type: 'card', limit: CARDS_MAX }),
      );
      return listed.data.map(toCard);
    },
    async detachCard(id) {
      const card = await call('payment_method', () => stripe.paymentMethods.retrieve(id));
      if (card.customer === null) return;
      await call('payment_method', () => stripe.paymentMethods.detach(id));
    },
  };
}

async function createTaxId(
  stripe: Stripe,
  call: StripeCall,
  customerId: string,
  { type, value }: PayerTaxId,
): Promise<void> {
  await call('tax_id', () => stripe.customers.createTaxId(customerId, { type, value }));
}

/** An empty text clears a field at the provider; an omitted one is kept. */
function profileParams({ organizationId, name, email, phone, address }: PayerProfile) {
  return {
    name,
    email,
    phone: phone ?? '',
    address: {
      line1: address.line1 ?? '',
      line2: address.line2 ?? '',
      city: address.city ?? '',
      state: address.province ?? '',
      postal_code: address.postalCode ?? '',
      country: address.country ?? '',
    },
    metadata: { organization_id: organizationId },
  } satisfies Stripe.CustomerCreateParams;
}

/** A new object has nothing to clear, and the provider treats an empty text as an attempt to clear it. */
function withoutEmpty({ phone, address, ...rest }: ReturnType<typeof profileParams>) {
  const filled = Object.entries(address).filter(([, value]) => value !== '');
  return { ...rest, ...(phone === '' ? {} : { phone }), address: Object.fromEntries(filled) };
}

function toSetup({ id, customer, status, payment_method }: Stripe.SetupIntent): CardSetup {
  return { id, customerId: idOf(customer), status: setupStatus(status), cardId: idOf(payment_method) };
}

function setupStatus(status: string): CardSetup['status'] {
  return status === 'succeeded' || status === 'canceled' ? status : 'pending';
}

function toCard({ id, customer, card }: Stripe.PaymentMethod): Card {
  if (!card) throw new PaymentError('invalid', 'the payment method is no card');
  return {
    id,
    customerId: idOf(customer),
    brand: card.brand,
    last4: card.last4,
    expMonth: card.exp_month,
    expYear: card.exp_year,
  };
}

/** An expandable field arrives as an id or as an object. */
export function idOf(reference: string | { id: string } | null): string | null {
  return typeof reference === 'object' && reference !== null ? reference.id : reference;
}

import type Stripe from 'stripe';
import { type FormFields, fieldsOf, textOf, textsOf } from './form.ts';
import { listResponse, type SandboxRequest, type SandboxRoute } from './sandbox-route.ts';
import { invalid } from './wire-error.ts';

const TAX_ID_PATTERNS: Record<string, RegExp> = {
  ca_gst_hst: /^\d{9}RT\d{4}$/,
  ca_qst: /^\d{10}TQ\d{4}$/,
};
const CARDS_MAX = 100;
const PROFILE_FIELDS = ['name', 'email', 'phone', 'address', 'metadata', 'invoice_settings', 'balance'];

export const customerRoutes: SandboxRoute[] = [
  { method: 'POST', path: '/v1/customers', accepts: PROFILE_FIELDS, run: createCustomer },
  {
    method: 'GET',
    path: '/v1/customers/:id',
    accepts: [],
    run: ({ store, ids }) => store.read('customer', ids[0]),
  },
  { method: 'DELETE', path: '/v1/customers/:id', accepts: [], run: deleteCustomer },
  { method: 'POST', path: '/v1/customers/:id', accepts: PROFILE_FIELDS, run: updateCustomer },
  {
    method: 'GET',
    path: '/v1/customers/:id/tax_ids',
    accepts: ['limit'],
    run: async ({ store, ids, path }) => listResponse(path, await store.list('tax_id', ids[0], 100)),
  },
  { method: 'POST', path: '/v1/customers/:id/tax_ids', accepts: ['type', 'value'], run: createTaxId },
  { method: 'DELETE', path: '/v1/customers/:id/tax_ids/:id', accepts: [], run: deleteTaxId },
];

async function createCustomer({ store, form }: SandboxRequest): Promise<Stripe.Customer> {
  const customer: Stripe.Customer = {
    id: store.newId('customer'),
    object: 'customer',
    address: null,
    balance: 0,
    created: store.seconds,
    currency: 'cad',
    default_source: null,
    delinquent: false,
    description: null,
    email: null,
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: {},
    name: null,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
  applyProfile(customer, form);
  await store.insert('customer', customer, '');
  await store.emit('customer.created', customer);
  return customer;
}

async function updateCustomer({ store, ids, form }: SandboxRequest): Promise<Stripe.Customer> {
  const customer = await store.get('customer', ids[0]);
  applyProfile(customer, form);
  const wanted = textOf(fieldsOf(form, 'invoice_settings'), 'default_payment_method');
  if (wanted !== undefined) {
    const isOwn = wanted === '' || (await store.get('payment_method', wanted)).customer === customer.id;
    if (!isOwn) throw invalid('The payment method belongs to no or another customer.', 'resource_missing');
    customer.invoice_settings.default_payment_method = wanted === '' ? null : wanted;
  }
  await store.save<'customer'>(customer);
  await store.emit('customer.updated', customer);
  return customer;
}

/** Deletes a customer for ever, with the cards. */
async function deleteCustomer({ store, ids }: SandboxRequest): Promise<Stripe.DeletedCustomer> {
  const customer = await store.get('customer', ids[0]);
  for (const method of await store.list('payment_method', customer.id, CARDS_MAX)) {
    await store.save<'payment_method'>({ ...method, customer: null }, '');
    await store.emit('payment_method.detached', method);
  }
  await store.markDeleted('customer', customer.id);
  await store.emit('customer.deleted', customer);
  return { id: customer.id, object: 'customer', deleted: true };
}

/** An empty text clears a field; a field that was not sent is kept. */
function applyProfile(customer: Stripe.Customer, form: FormFields): void {
  const email = textOf(form, 'email');
  if (email !== undefined && email !== '' && !email.includes('@')) {
    throw invalid(`Invalid email address: ${email}`, 'email_invalid', 'email');
  }
  for (const field of ['name', 'email', 'phone'] as const) {
    const value = textOf(form, field);
    if (value !== undefined) customer[field] = value === '' ? null : value;
  }
  if ('address' in form) {
    const address = fieldsOf(form, 'address');
    const part = (name: string) => textOf(address, name) || null;
    customer.address = {
      city: part('city'),
      country: part('country'),
      line1: part('line1'),
      line2: part('line2'),
      postal_code: part('postal_code'),
      state: part('state'),
    };
  }
  customer.metadata = { ...customer.metadata, ...textsOf(form, 'metadata') };
}

async function createTaxId({ store, ids, form }: SandboxRequest): Promise<Stripe.TaxId> {
  const { id: customer } = await store.get('customer', ids[0]);
  const type = textOf(form, 'type') ?? '';
  const value = textOf(form, 'value') ?? '';
  const pattern = Object.hasOwn(TAX_ID_PATTERNS, type) ? TAX_ID_PATTERNS[type] : undefined;
  if (!pattern) throw invalid(`Invalid type: ${type}`, 'parameter_invalid_string_empty', 'type');
  if (!pattern.test(value)) throw invalid('Invalid value for this tax id.', 'tax_id_invalid', 'value');
  const taxId: Stripe.TaxId = {
    id: store.newId('tax_id'),
    object: 'tax_id',
    country: 'CA',
    created: store.seconds,
    customer,
    customer_account: null,
    livemode: false,
    owner: { type: 'customer', customer, customer_account: null },
    type,
    value,
    verification: { status: 'unavailable', verified_address: null, verified_name: null },
  };
  await store.insert('tax_id', taxId, customer);
  return taxId;
}

async function deleteTaxId({ store, ids }: SandboxRequest): Promise<Stripe.DeletedTaxId> {
  const { id } = await store.get('tax_id', ids[1]);
  await store.remove(id);
  return { id, object: 'tax_id', deleted: true };
}

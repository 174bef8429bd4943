import { describe, expect, it } from 'vitest';
import { auditRows } from '#tests/support/app/audit.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import {
  BILLING_CONTACT,
  enterCard,
  openSandbox,
  SANDBOX_BILLING,
  setUpBilling,
  TEST_CARDS,
} from '#tests/support/billing/billing.ts';
import { getBillingStatus } from '../get-billing-status.ts';
import { deliverSandboxEvents } from '../payments/deliver-sandbox-events.ts';
import { handleWebhooks } from '../payments/handle-webhooks.ts';
import { addPaymentMethod } from './add-payment-method.ts';
import { createCustomer } from './create-customer.ts';
import { createSetupIntent } from './create-setup-intent.ts';
import { getCustomer } from './get-customer.ts';
import { removePaymentMethod } from './remove-payment-method.ts';
import { setDefaultPaymentMethod } from './set-default-payment-method.ts';
import { syncCustomers } from './sync-customer.ts';
import { updateBillingContact } from './update-billing-contact.ts';

async function prepare() {
  const app = await createTestApp({ environment: SANDBOX_BILLING });
  const { context } = await createTestPerson(app);
  const { sandbox, provider } = await openSandbox(app);
  return { app, context, sandbox, provider };
}

/** Runs the jobs that process the provider's events. */
async function hearProvider(context: Parameters<typeof handleWebhooks>[0]) {
  await deliverSandboxEvents(context);
  await handleWebhooks({ ...context, actor: { kind: 'job', name: 'handle-webhooks' } });
}

describe('a billing customer', () => {
  it('is set up with its contact, here and at the provider, and recorded without the address', async () => {
    const { context, provider } = await prepare();
    await expect(getCustomer(context)).rejects.toMatchObject({
      code: 'billing_customer_not_found',
      status: 404,
      message: 'No billing customer found',
    });
    const customer = await createCustomer(context, {
      ...BILLING_CONTACT,
      province: 'québec',
      postal_code: 'h2x1k4',
      tax_ids: { GST: '123 456 789 rt 0002', QST: '', Other: ' X-1 ' },
    });
    expect(customer).toMatchObject({
      id: expect.stringMatching(/^cus_/),
      payment_methods: [],
      default_payment_method_id: null,
      billing_email: 'ada@example.ca',
      billing_company: 'Analytical Engines',
      billing_address_line2: null,
      billing_province: 'QC',
      billing_postal_code: 'H2X 1K4',
      billing_country: 'CA',
      billing_phone: null,
      tax_ids: { GST: '123456789RT0002', Other: 'X-1' },
    });
    expect(await getCustomer(context)).toEqual(customer);
    expect(await provider.listCards(customer.id)).toEqual([]);
    const rows = await auditRows(context, context.organization.id);
    expect(rows.filter(({ action }) => action.startsWith('billing.'))).toMatchObject([
      { action: 'billing.setup', after: { country: 'CA', province: 'QC' } },
    ]);
  });

  it('is the same one when it is set up again, with the new contact', async () => {
    const { app, context } = await prepare();
    const first = await createCustomer(context, BILLING_CONTACT);
    const again = await createCustomer(context, { ...BILLING_CONTACT, company_name: null, city: 'Laval' });
    expect(again).toEqual({ ...first, billing_company: null, billing_city: 'Laval' });
    const customers = await app.db
      .selectFrom('sandbox_objects')
      .select('body')
      .where('kind', '=', 'customer')
      .execute();
    expect(customers.map(({ body }) => JSON.parse(body))).toMatchObject([
      { id: first.id, name: 'Ada Lovelace', address: { city: 'Laval', state: 'QC' } },
    ]);
  });

  it.each([
    ['a province that is none', { province: 'Bavaria' }, 'province'],
    ['a postal code that is none', { postal_code: '12345' }, 'postal_code'],
    ['no city', { city: ' ' }, 'city'],
    ['no email address', { email: 'ada' }, 'email'],
    ['a GST number that is none', { tax_ids: { GST: '123' } }, 'tax_ids.GST'],
    ['a country by name', { country: 'Canada' }, 'country'],
    ['a name of two lines', { name: 'Ada\nLovelace' }, 'name'],
  ])('is rejected with %s', async (_, wrong, path) => {
    const { context } = await prepare();
    const refused = createCustomer(context, { ...BILLING_CONTACT, ...wrong });
    await expect(refused).rejects.toMatchObject({ issues: [{ path: path.split('.') }] });
  });

  it('may be beyond Canada, and beyond the list of countries', async () => {
    const { context } = await prepare();
    const abroad = { province: 'Greater London', postal_code: 'N1 9GU', country: 'GB' };
    expect(await createCustomer(context, { ...BILLING_CONTACT, ...abroad })).toMatchObject({
      billing_country: 'GB',
      billing_province: 'Greater London',
    });
    const other = await createCustomer(context, { ...BILLING_CONTACT, ...abroad, country: '' });
    expect(other.billing_country).toBeNull();
  });

  it('keeps what was typed when the provider does not respond, and continues on a retry', async () => {
    const { app, context, sandbox } = await prepare();
    sandbox.faults.add({ kind: 'lost', on: /POST \/v1\/customers$/, times: 3 });
    const lost = createCustomer(context, BILLING_CONTACT);
    await expect(lost).rejects.toMatchObject({ code: 'payments_unavailable', status: 503 });
    await expect(getCustomer(context)).rejects.toMatchObject({ code: 'billing_customer_not_found' });
    const contacts = app.db.selectFrom('billing_contacts').select('city');
    expect(await contacts.execute()).toEqual([{ city: 'Montréal' }]);
    const { id } = await createCustomer(context, BILLING_CONTACT);
    const made = app.db.selectFrom('sandbox_objects').select('id').where('kind', '=', 'customer');
    expect(await made.execute()).toEqual([{ id }]);
  });

  it('can be set up by the owner and seen by everyone, but by no credential', async () => {
    const { app, context } = await prepare();
    await createCustomer(context, BILLING_CONTACT);
    const other = await createTestPerson(app);
    const admin = await joinOrganization(other, context.organization.id, 'admin');
    expect((await getCustomer(admin)).billing_name).toBe('Ada Lovelace');
    const refused = { code: 'permission_required', params: { permission: 'owner' } };
    await expect(createCustomer(admin, BILLING_CONTACT)).rejects.toMatchObject(refused);
    await expect(createSetupIntent(admin)).rejects.toMatchObject(refused);
    const actor = {
      kind: 'credential' as const,
      credentialId: 'c',
      name: 'CI',
      organizationId: context.organization.id,
      scopes: [],
    };
    await expect(getCustomer({ ...context, actor })).rejects.toMatchObject({ code: 'person_required' });
  });

  it('does not exist where nothing is billed', async () => {
    const app = await createTestApp();
    const { context } = await createTestPerson(app);
    await expect(getCustomer(context)).rejects.toMatchObject({ code: 'billing_off', status: 404 });
    expect(await getBillingStatus(context)).toMatchObject({ mode: 'off', readiness: 'off', owners: [] });
  });
});

describe('the billing contact', () => {
  it('is replaced: optional fields are cleared, name and email stay, an address is whole or not at all', async () => {
    const { context } = await prepare();
    await createCustomer(context, { ...BILLING_CONTACT, tax_ids: { Other: '1' } });
    const kept = await updateBillingContact(context, { billing_phone: '514 555-0100' });
    expect(kept).toMatchObject({
      billing_name: 'Ada Lovelace',
      billing_email: 'ada@example.ca',
      billing_company: null,
      billing_phone: '514 555-0100',
      billing_city: 'Montréal',
      tax_ids: {},
    });
    const half = updateBillingContact(context, { billing_city: 'Toronto', billing_country: 'CA' });
    await expect(half).rejects.toMatchObject({ name: 'ZodError' });
    const moved = await updateBillingContact(context, {
      billing_address_line1: '1 Yonge Street',
      billing_city: 'Toronto',
      billing_province: 'Ontario',
      billing_postal_code: 'm5e 1e5',
      billing_country: 'CA',
    });
    expect(moved).toMatchObject({ billing_province: 'ON', billing_postal_code: 'M5E 1E5' });
  });

  it('reaches an unavailable provider later', async () => {
    const { app, context, sandbox } = await prepare();
    const { id } = await createCustomer(context, BILLING_CONTACT);
    sandbox.faults.add({ kind: 'server_error', times: 3 });
    await updateBillingContact(context, { billing_name: 'Grace Hopper' });
    expect(await syncCustomers(context)).toBe(1);
    expect(await syncCustomers(context)).toBe(0);
    const row = await app.db
      .selectFrom('sandbox_objects')
      .select('body')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(row.body).name).toBe('Grace Hopper');
  });
});

describe('a card', () => {
  it('is stored when its setup has succeeded, and the only one is the default', async () => {
    const { context } = await prepare();
    const customer = await setUpBilling(context);
    const [card] = customer.payment_methods;
    expect(card).toMatchObject({ brand: 'visa', last4: '4242', exp_month: 12 });
    expect(customer.default_payment_method_id).toBe(card?.id);
    const second = await addPaymentMethod(context, {
      setup_intent_id: await enterCard(context, '5555555555554444'),
    });
    expect(second.payment_methods).toHaveLength(2);
    expect(second.default_payment_method_id).toBe(card?.id);
  });

  it('is stored once, however often the browser and the provider report it, in any order', async () => {
    const { context, sandbox } = await prepare();
    await createCustomer(context, BILLING_CONTACT);
    const setup_intent_id = await enterCard(context);
    sandbox.faults.deliveries = { isDuplicated: true, isReversed: true };
    await hearProvider(context);
    const heard = await getCustomer(context);
    expect(heard.payment_methods).toHaveLength(1);
    expect(heard.default_payment_method_id).toBe(heard.payment_methods[0]?.id);
    expect(await addPaymentMethod(context, { setup_intent_id })).toEqual(heard);
    await hearProvider(context);
    expect(await getCustomer(context)).toEqual(heard);
  });

  it('of another organization, of no customer, or not verified is refused', async () => {
    const { app, context } = await prepare();
    await createCustomer(context, BILLING_CONTACT);
    const stranger = await createTestPerson(app);
    await createCustomer(stranger.context, BILLING_CONTACT);
    const theirs = await enterCard(stranger.context);
    const add = (setup_intent_id: string) => addPaymentMethod(context, { setup_intent_id });
    await expect(add(theirs)).rejects.toMatchObject({ code: 'setup_not_found', status: 404 });
    await expect(add('seti_unknown')).rejects.toMatchObject({ code: 'setup_not_found' });
    const declined = await enterCard(context, TEST_CARDS.declines);
    await expect(add(declined)).rejects.toMatchObject({ code: 'setup_incomplete', status: 409 });
    expect((await getCustomer(context)).payment_methods).toEqual([]);
  });

  it('is not refused permanently when the provider is unavailable', async () => {
    const { context, sandbox } = await prepare();
    await createCustomer(context, BILLING_CONTACT);
    const setup_intent_id = await enterCard(context);
    sandbox.faults.add({ kind: 'server_error', on: /setup_intents/, times: 3 });
    const refused = addPaymentMethod(context, { setup_intent_id });
    await expect(refused).rejects.toMatchObject({ code: 'payments_unavailable' });
    expect((await addPaymentMethod(context, { setup_intent_id })).payment_methods).toHaveLength(1);
  });

  it('becomes the default on request, here and at the provider', async () => {
    const { app, context } = await prepare();
    await setUpBilling(context);
    const both = await addPaymentMethod(context, {
      setup_intent_id: await enterCard(context, '5555555555554444'),
    });
    const second = both.payment_methods[1]?.id ?? '';
    const changed = await setDefaultPaymentMethod(context, { payment_method_id: second });
    expect(changed.default_payment_method_id).toBe(second);
    const { body } = await app.db
      .selectFrom('sandbox_objects')
      .select('body')
      .where('id', '=', changed.id)
      .executeTakeFirstOrThrow();
    const known = app.db.selectFrom('payment_methods').select('provider_id').where('id', '=', second);
    const { provider_id } = await known.executeTakeFirstOrThrow();
    expect(JSON.parse(body).invoice_settings.default_payment_method).toBe(provider_id);
    const unknown = setDefaultPaymentMethod(context, { payment_method_id: 'unknown' });
    await expect(unknown).rejects.toMatchObject({ code: 'payment_method_not_found', status: 404 });
  });

  it('that is removed is no longer charged; the oldest remaining one replaces it as the default', async () => {
    const { context, provider } = await prepare();
    const { id, payment_methods } = await setUpBilling(context);
    await addPaymentMethod(context, { setup_intent_id: await enterCard(context, '5555555555554444') });
    const first = payment_methods[0]?.id ?? '';
    await removePaymentMethod(context, { payment_method_id: first });
    const left = await getCustomer(context);
    expect(left.payment_methods).toMatchObject([{ last4: '4444' }]);
    expect(left.default_payment_method_id).toBe(left.payment_methods[0]?.id);
    expect(await provider.listCards(id)).toHaveLength(1);
    const again = removePaymentMethod(context, { payment_method_id: first });
    await expect(again).rejects.toMatchObject({ code: 'payment_method_not_found' });
    await removePaymentMethod(context, { payment_method_id: left.payment_methods[0]?.id ?? '' });
    expect(await getCustomer(context)).toMatchObject({
      payment_methods: [],
      default_payment_method_id: null,
    });
    expect(await getBillingStatus(context)).toMatchObject({ readiness: 'no_payment_method' });
    // A late event about a removed card does not bring it back.
    await hearProvider(context);
    expect((await getCustomer(context)).payment_methods).toEqual([]);
  });

  it('that is removed at the provider is removed here too', async () => {
    const { app, context, provider } = await prepare();
    await setUpBilling(context);
    const cards = app.db.selectFrom('payment_methods').select('provider_id');
    await hearProvider(context);
    await provider.detachCard((await cards.executeTakeFirstOrThrow()).provider_id);
    await hearProvider(context);
    expect((await getCustomer(context)).payment_methods).toEqual([]);
  });

  it('is limited in number', async () => {
    const { context } = await prepare();
    await setUpBilling(context);
    for (let count = 1; count < 10; count += 1) {
      await addPaymentMethod(context, { setup_intent_id: await enterCard(context) });
    }
    await expect(createSetupIntent(context)).rejects.toMatchObject({
      code: 'payment_method_limit',
      params: { limit: 10 },
    });
  });
});

it('the status says who may set up billing, and what is missing', async () => {
  const { app, context } = await prepare();
  const other = await createTestPerson(app);
  const member = await joinOrganization(other, context.organization.id, 'write');
  expect(await getBillingStatus(member)).toMatchObject({
    mode: 'sandbox',
    readiness: 'no_customer',
    set_up_by: null,
    may_manage: false,
    owners: [expect.stringMatching(/^Person /)],
    stripe_publishable_key: expect.stringMatching(/^pk_sandbox/),
  });
  await createCustomer(context, BILLING_CONTACT);
  expect(await getBillingStatus(context)).toMatchObject({ readiness: 'no_payment_method', may_manage: true });
  await setUpBilling(context);
  expect(await getBillingStatus(context)).toMatchObject({ readiness: 'ready' });
});

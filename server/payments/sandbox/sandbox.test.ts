import { describe, expect, it } from 'vitest';
import { newId } from '#server/ids.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { openSandbox, SANDBOX_BILLING } from '#tests/support/billing/billing.ts';
import { createStripeProvider } from '../stripe-provider.ts';
import { type FormFields, parseForm } from './form.ts';
import { signDelivery } from './sandbox.ts';
import { SANDBOX_KEYS } from './sandbox-keys.ts';

const profile = {
  organizationId: 'organization',
  name: 'Ada',
  email: 'ada@example.ca',
  phone: null,
  address: { line1: null, line2: null, city: null, province: null, postalCode: null, country: 'CA' },
};

async function prepare() {
  const app = await createTestApp({ environment: SANDBOX_BILLING });
  const { sandbox, provider } = await openSandbox(app);
  // Without the SDK's own retries, so that a test sees each response.
  const settings = { mode: 'sandbox' as const, ...SANDBOX_KEYS };
  const impatient = createStripeProvider(settings, { ...app, retries: 0 }, sandbox.fetch);
  const customers = () =>
    app.db.selectFrom('sandbox_objects').select('id').where('kind', '=', 'customer').execute();
  const post = (path: string, form: Record<string, string>, key: string = SANDBOX_KEYS.secretKey) =>
    sandbox.fetch(`https://api.stripe.com${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: new URLSearchParams(form).toString(),
    });
  return { app, sandbox, provider, impatient, customers, post };
}

describe('a provider fault', () => {
  it('that lost a response changes nothing twice when the same key is retried', async () => {
    const { sandbox, impatient, customers } = await prepare();
    sandbox.faults.add({ kind: 'lost', on: /POST \/v1\/customers/ });
    const lost = impatient.createCustomer('key', profile);
    await expect(lost).rejects.toMatchObject({ kind: 'unavailable' });
    const { id } = await impatient.createCustomer('key', profile);
    expect(await customers()).toEqual([{ id }]);
  });

  it('is survived by the SDK’s own retries', async () => {
    const { sandbox, provider, customers } = await prepare();
    sandbox.faults.add({ kind: 'server_error' });
    await provider.createCustomer('key', profile);
    expect(await customers()).toHaveLength(1);
  });

  it.each(['unreachable', 'server_error', 'rate_limited', 'nonsense'] as const)(
    '(%s) is reported as an unknown outcome',
    async (kind) => {
      const { sandbox, impatient, customers } = await prepare();
      sandbox.faults.add({ kind });
      await expect(impatient.createCustomer('key', profile)).rejects.toMatchObject({ kind: 'unavailable' });
      expect(await customers()).toEqual([]);
    },
  );

  it('(silent) times out, and is reported as an unknown outcome', async () => {
    const { app, sandbox, customers } = await prepare();
    sandbox.faults.add({ kind: 'silent' });
    const settings = { mode: 'sandbox' as const, ...SANDBOX_KEYS };
    const provider = createStripeProvider(settings, { ...app, retries: 0, timeoutMs: 50 }, sandbox.fetch);
    await expect(provider.createCustomer('key', profile)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await customers()).toEqual([]);
    await provider.createCustomer('key', profile);
    expect(await customers()).toHaveLength(1);
  });

  it('that persists stops further requests', async () => {
    const { sandbox, impatient } = await prepare();
    sandbox.faults.add({ kind: 'unreachable', times: 5 });
    for (let round = 0; round < 5; round += 1) {
      await expect(impatient.createCustomer('key', profile)).rejects.toMatchObject({ kind: 'unavailable' });
    }
    // The sixth would be answered.
    await expect(impatient.createCustomer('key', profile)).rejects.toThrow('is away');
  });
});

describe('an idempotency key', () => {
  it('is rejected for another request', async () => {
    const { provider, customers } = await prepare();
    await provider.createCustomer('key', profile);
    const other = provider.createCustomer('key', { ...profile, name: 'Grace' });
    await expect(other).rejects.toMatchObject({ kind: 'invalid' });
    expect(await customers()).toHaveLength(1);
  });

  it('creates one thing for two simultaneous requests, and is forgotten after a day', async () => {
    const { app, provider, customers } = await prepare();
    const both = await Promise.all([0, 1].map(() => provider.createCustomer('key', profile)));
    expect(both[0]).toEqual(both[1]);
    app.clock.advance(25 * 3_600_000);
    await provider.createCustomer('key', profile);
    expect(await customers()).toHaveLength(2);
  });
});

describe('a browser', () => {
  it('can do nothing without the client secret, nor outside its own setup', async () => {
    const { provider, post } = await prepare();
    const customer = await provider.createCustomer(newId(), profile);
    const { id, clientSecret } = await provider.createSetup(newId(), customer.id);
    const confirm = (client_secret: string, number = '4242424242424242') =>
      post(
        `/v1/setup_intents/${id}/confirm`,
        { client_secret, 'payment_method_data[card][number]': number },
        SANDBOX_KEYS.publishableKey,
      );
    expect((await confirm('wrong')).status).toBe(404);
    expect((await post('/v1/customers', { name: 'x' }, SANDBOX_KEYS.publishableKey)).status).toBe(404);
    expect((await post('/v1/customers', { name: 'x' }, 'sk_live_real')).status).toBe(401);
    const real = await confirm(clientSecret, '4111111111111111');
    expect([real.status, await real.json()]).toMatchObject([402, { error: { code: 'incorrect_number' } }]);
    const declined = await confirm(clientSecret, '4000 0000 0000 0002');
    expect([declined.status, await declined.json()]).toMatchObject([
      402,
      { error: { code: 'card_declined' } },
    ]);
    expect((await confirm(clientSecret)).status).toBe(200);
    expect((await confirm(clientSecret)).status).toBe(400);
  });

  it('whose cardholder does not authenticate adds no card', async () => {
    const { provider, post } = await prepare();
    const customer = await provider.createCustomer(newId(), profile);
    const { id, clientSecret: client_secret } = await provider.createSetup(newId(), customer.id);
    const confirm = (form: Record<string, string>) =>
      post(`/v1/setup_intents/${id}/confirm`, { client_secret, ...form }, SANDBOX_KEYS.publishableKey);
    await confirm({ 'payment_method_data[card][number]': '4000002760003184' });
    const refused = await confirm({ sandbox_authentication: 'refuse' });
    expect(await refused.json()).toMatchObject({ status: 'requires_payment_method' });
    expect(await provider.listCards(customer.id)).toEqual([]);
  });
});

it('a field that the API does not have is rejected by name', async () => {
  const { post } = await prepare();
  const response = await post('/v1/setup_intents', { 'payment_method_types[0]': 'card' });
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { code: 'parameter_unknown', param: 'payment_method_types' } },
  ]);
});

describe('deliveries', () => {
  it('are signed, retried until accepted, and then finished', async () => {
    const { app, sandbox, provider } = await prepare();
    const { id } = await provider.createCustomer('key', profile);
    expect(await sandbox.deliver(() => Promise.reject(new Error('busy')))).toBe(0);
    expect(await sandbox.deliver(async () => undefined)).toBe(0);
    app.clock.advance(10_000);
    const events: unknown[] = [];
    const taken = await sandbox.deliver(async (body, signature) => {
      events.push(provider.readEvent(body, signature));
    });
    expect(taken).toBe(1);
    expect(events).toMatchObject([{ type: 'customer.created', objectType: 'customer', objectId: id }]);
    expect(await sandbox.deliver(async () => undefined)).toBe(0);
  });

  it('arrive twice, late and out of order on demand', async () => {
    const { app, sandbox, provider } = await prepare();
    const one = await provider.createCustomer('one', profile);
    const two = await provider.createCustomer('two', profile);
    sandbox.faults.deliveries = { isDuplicated: true, isReversed: true, delayMs: 60_000 };
    const order: string[] = [];
    const take = async (body: string) => void order.push(JSON.parse(body).data.object.id);
    expect(await sandbox.deliver(take)).toBe(0);
    app.clock.advance(60_000);
    expect(await sandbox.deliver(take)).toBe(4);
    expect(order).toEqual([two.id, two.id, one.id, one.id]);
  });
});

describe('the signature of a delivery', () => {
  const body = JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type: 'invoice.paid',
    created: 1_772_000_000,
    data: { object: { id: 'in_1', object: 'invoice' } },
  });

  it('matches either of two secrets, so that one can be replaced', async () => {
    const { app, sandbox } = await prepare();
    const settings = {
      mode: 'sandbox' as const,
      ...SANDBOX_KEYS,
      webhookSecrets: ['whsec_new', 'whsec_old'],
    };
    const provider = createStripeProvider(settings, app, sandbox.fetch);
    const now = app.clock.now();
    for (const secret of ['whsec_new', 'whsec_old']) {
      expect(provider.readEvent(body, signDelivery(body, now, secret))).toMatchObject({
        id: 'evt_1',
        objectId: 'in_1',
        createdAt: 1_772_000_000_000,
      });
    }
    expect(() => provider.readEvent(body, signDelivery(body, now, 'whsec_other'))).toThrow('signature');
  });

  it('is rejected when it is missing, foreign, old, or of another text', async () => {
    const { app, provider } = await prepare();
    const now = app.clock.now();
    const refused = [
      [body, ''],
      [body, 'nonsense'],
      [body, signDelivery(body, now - 301_000)],
      [body.replace('evt_1', 'evt_2'), signDelivery(body, now)],
      ['{', signDelivery('{', now)],
    ] as const;
    for (const [text, signature] of refused) {
      expect(() => provider.readEvent(text, signature)).toThrow(
        expect.objectContaining({ kind: 'signature' }),
      );
    }
  });

  it('is enough for an event about nothing that could be fetched, which is no event of ours', async () => {
    const { app, provider } = await prepare();
    const now = app.clock.now();
    const event = { id: 'evt_1', object: 'event', type: 'invoice.upcoming', created: 1 };
    const preview = { object: 'invoice', amount_due: 345 };
    for (const other of [
      { ...event, data: { object: preview } },
      { ...event, data: { object: {} } },
      {
        id: 'evt_1',
        object: 'v2.core.event',
        type: 'v1.billing.meter.no_meter_found',
        created: '2026-03-01',
      },
      ['no event at all'],
      null,
    ]) {
      const text = JSON.stringify(other);
      expect(provider.readEvent(text, signDelivery(text, now)), text).toBeNull();
    }
  });
});

describe('a form', () => {
  it('is parsed in the SDK’s notation, and no deeper', () => {
    const read = parseForm('a=1&b[c]=2&d[1][e]=4&d[0][e]=3&__proto__[x]=y');
    expect({ ...read }).toMatchObject({ a: '1', b: { c: '2' }, d: { 0: { e: '3' }, 1: { e: '4' } } });
    expect(({} as FormFields).x).toBeUndefined();
    expect(() => parseForm('a[b][c][d][e][f][g]=1')).toThrow(RangeError);
    expect(() => parseForm(Array.from({ length: 5_001 }, () => 'a=1').join('&'))).toThrow(RangeError);
  });
});

import { describe, expect, it } from 'vitest';
import { signDelivery } from '#server/payments/sandbox/sandbox.ts';
import { addPaymentMethod } from '#server/services/billing/customers/add-payment-method.ts';
import { createCustomer } from '#server/services/billing/customers/create-customer.ts';
import { createSetupIntent } from '#server/services/billing/customers/create-setup-intent.ts';
import { getCustomer } from '#server/services/billing/customers/get-customer.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import {
  BILLING_CONTACT,
  insertOpenInvoice,
  SANDBOX_BILLING,
  setUpBilling,
} from '#tests/support/billing/billing.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';

const stripeKeys = {
  BILLING_MODE: 'stripe',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
};

async function prepare(environment: Record<string, string> = SANDBOX_BILLING) {
  const { app, baseUrl } = await startConsoleServer({ environment });
  const { context, sessionCookie } = await createTestPerson(app);
  const deliver = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${baseUrl}/webhooks/stripe`, { method: 'POST', body, headers });
  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`${baseUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: { cookie: sessionCookie, origin: baseUrl, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return { app, baseUrl, context, deliver, ask };
}

const sign = (body: string, now: number) => signDelivery(body, now, stripeKeys.STRIPE_WEBHOOK_SECRET);
const event = JSON.stringify({
  id: 'evt_1',
  object: 'event',
  type: 'invoice.paid',
  created: 1_772_000_000,
  data: { object: { id: 'in_1', object: 'invoice' } },
});

it('an address of the sandbox names its methods to a request with another', async () => {
  const { ask } = await prepare();
  const allowed = async (path: string) => (await ask('DELETE', `/_sandbox/${path}`)).headers.get('allow');
  expect(await allowed('stripe.js')).toBe('GET, HEAD');
  expect(await allowed('invoices/in_1')).toBe('GET, HEAD, POST');
  expect(await allowed('setup-intents/seti_1')).toBe('GET');
  expect(await allowed('setup-intents/seti_1/confirm')).toBe('POST');
});

describe('POST /webhooks/stripe', () => {
  it('accepts what the provider has signed, once', async () => {
    const { app, deliver } = await prepare(stripeKeys);
    const signature = { 'stripe-signature': sign(event, app.clock.now()) };
    const responses = [await deliver(event, signature), await deliver(event, signature)];
    expect(
      await Promise.all(responses.map(async (response) => [response.status, await response.json()])),
    ).toEqual([
      [200, { received: true }],
      [200, { received: true }],
    ]);
    expect(await app.db.selectFrom('webhook_events').select('provider_event_id').execute()).toHaveLength(1);
  });

  it('accepts what it cannot use, of up to 256 KB, so that the provider does not disable the address', async () => {
    const { app, deliver } = await prepare(stripeKeys);
    const kept = { ...JSON.parse(event), account: 'acct_other', api_version: '2019-01-01' };
    const bodies = [
      { ...kept, id: 'evt_upcoming', type: 'invoice.upcoming', data: { object: { object: 'invoice' } } },
      {
        id: 'evt_v2',
        object: 'v2.core.event',
        type: 'v2.core.account.closed',
        created: '2026-03-01T00:00:00Z',
      },
      { ...kept, id: 'evt_large', type: 'some.unknown', filler: 'x'.repeat(255 * 1024) },
    ].map((body) => JSON.stringify(body));
    for (const body of bodies) {
      const { status } = await deliver(body, { 'stripe-signature': sign(body, app.clock.now()) });
      expect([body.slice(0, 100), status]).toEqual([body.slice(0, 100), 200]);
    }
    const recorded = await app.db.selectFrom('webhook_events').select('provider_event_id').execute();
    expect(recorded).toEqual([{ provider_event_id: 'evt_large' }]);
  });

  it('rejects what is forged, old, unsigned or too large, and other methods', async () => {
    const { app, baseUrl, deliver } = await prepare(stripeKeys);
    const now = app.clock.now();
    const forged = await deliver(event, { 'stripe-signature': signDelivery(event, now, 'whsec_other') });
    expect([forged.status, await forged.json()]).toMatchObject([400, { code: 'webhook_refused' }]);
    const old = await deliver(event, { 'stripe-signature': sign(event, now - 600_000) });
    expect(old.status).toBe(400);
    expect((await deliver(event)).status).toBe(400);
    const large = 'x'.repeat(300 * 1024);
    expect((await deliver(large, { 'stripe-signature': sign(large, now) })).status).toBe(413);
    expect((await fetch(`${baseUrl}/webhooks/stripe`)).status).toBe(405);
    expect(await app.db.selectFrom('webhook_events').selectAll().execute()).toEqual([]);
  });

  it('rejects everything in the sandbox, whose secret everyone knows', async () => {
    const { app, deliver } = await prepare();
    const response = await deliver(event, { 'stripe-signature': signDelivery(event, app.clock.now()) });
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'webhook_refused' }]);
    expect(await app.db.selectFrom('webhook_events').selectAll().execute()).toEqual([]);
  });

  it('does not exist when nothing is billed', async () => {
    const { deliver } = await prepare({});
    expect((await deliver(event, { 'stripe-signature': 'x' })).status).toBe(405);
  });
});

describe('the stand-in of Stripe.js', () => {
  it('is a script of the sandbox', async () => {
    const { ask } = await prepare();
    const response = await ask('GET', '/_sandbox/stripe.js');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ]);
    expect(await response.text()).toContain('/_sandbox/setup-intents/');
    expect((await ask('POST', '/_sandbox/stripe.js')).status).toBe(405);
  });

  it.each([
    ['with a real provider', stripeKeys],
    ['where nothing is billed', { BILLING_MODE: 'off' }],
  ])('is never served %s', async (_, environment) => {
    const { ask } = await prepare(environment);
    for (const path of ['/_sandbox/stripe.js', '/_sandbox/STRIPE.js', '/_sandbox//stripe.js']) {
      const response = await ask('GET', path);
      expect(response.headers.get('content-type')).not.toContain('javascript');
      expect(await response.text()).toBe(`page ${path}`);
    }
  });
});

describe('the sandbox in the browser', () => {
  it('accepts a test card for the setup that its secret identifies', async () => {
    const { context, ask } = await prepare();
    await createCustomer(context, BILLING_CONTACT);
    const { client_secret } = await createSetupIntent(context);
    const [id = ''] = client_secret.split('_secret_');
    const confirm = (body: unknown) => ask('POST', `/_sandbox/setup-intents/${id}/confirm`, body);
    const number = '4000 0027 6000 3184';
    expect((await confirm({ client_secret: 'wrong', number })).status).toBe(404);
    expect(await (await confirm({ client_secret, number })).json()).toMatchObject({
      status: 'requires_action',
    });
    const read = await ask('GET', `/_sandbox/setup-intents/${id}?client_secret=${client_secret}`);
    expect(await read.json()).toMatchObject({ id, status: 'requires_action' });
    const done = await confirm({ client_secret, authentication: 'complete' });
    expect(await done.json()).toMatchObject({ status: 'succeeded' });
    await addPaymentMethod(context, { setup_intent_id: id });
    expect((await getCustomer(context)).payment_methods).toMatchObject([{ last4: '3184' }]);
  });

  it('shows an invoice at the address that ours leads to, and accepts its payment', async () => {
    const { context, ask } = await prepare();
    await setUpBilling(context, { card: '4000002760003184' });
    const invoice = await insertOpenInvoice(context);
    const hosted = await ask('GET', `/api/v1/billing/invoices/${invoice}/hosted`);
    expect(hosted.status).toBe(303);
    const address = hosted.headers.get('location') ?? '';
    const page = await fetch(address, { headers: { 'accept-language': 'fr-CA' } });
    const html = await page.text();
    expect(html).toContain('Bac à sable\u00a0: aucun argent ne circule.');
    expect(html).toContain('<form method="post">');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const paid = await fetch(address, { method: 'POST' });
    expect(await paid.text()).toContain('<p>Paid</p>');
    expect((await fetch(address.replace(/in_\w+$/, 'in_unknown'))).status).toBe(404);
  });

  it('does not exist with a real provider', async () => {
    const { ask } = await prepare(stripeKeys);
    const response = await ask('GET', '/_sandbox/setup-intents/seti_1');
    expect(await response.text()).toBe('page /_sandbox/setup-intents/seti_1');
    expect((await ask('POST', '/_sandbox/setup-intents/seti_1/confirm', {})).status).toBe(405);
    expect(await (await ask('GET', '/_webconfig')).json()).toEqual({ stripePublishableKey: 'pk_test_1' });
  });
});

it('creating a site or an endpoint without a card responds with 402', async () => {
  const { ask } = await prepare();
  const response = await ask('POST', '/api/v1/sites', { name: 'blog' });
  expect([response.status, await response.json()]).toMatchObject([402, { code: 'billing_required' }]);
  expect(await (await ask('GET', '/api/v1/billing/customer')).json()).toMatchObject({ status: 404 });
});

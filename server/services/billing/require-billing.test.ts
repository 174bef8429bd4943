import { describe, expect, it } from 'vitest';
import { loadConfig } from '#server/config/config.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { SANDBOX_BILLING, setUpBilling } from '#tests/support/billing/billing.ts';
import { createEndpoint } from '../cdn/create-endpoint.ts';
import { createSite } from '../sites/create-site.ts';
import { getCustomer } from './customers/get-customer.ts';
import { removePaymentMethod } from './customers/remove-payment-method.ts';
import { sendSetUpNotices } from './customers/send-set-up-notices.ts';
import { getBillingStatus } from './get-billing-status.ts';
import { billedDays, findBillingTerms } from './months/billing-terms.ts';
import { noteBillingMode } from './note-billing-mode.ts';
import { SET_UP_WITHIN_MS } from './rules.ts';

const MAIL = { MAIL_URL: 'smtp://127.0.0.1:2525', MAIL_FROM: 'no-reply@example.ca' };

async function prepare(environment: Record<string, string> = SANDBOX_BILLING) {
  const app = await createTestApp({ environment });
  const { context } = await createTestPerson(app);
  return { app, context };
}

/** Restarts an installation with other settings. */
const restart = (app: TestApp, environment: Record<string, string>) =>
  noteBillingMode(
    app.db,
    loadConfig({ DATA_DIR: app.config.dataDir, DATABASE_URL: app.config.databaseUrl, ...environment }),
    app.clock.now(),
  );

it('billing counts from the first day of an installation, and from the next whole day where people were there before', async () => {
  const start = Date.UTC(2026, 2, 1, 12);
  for (const isEmpty of [true, false]) {
    const app = await createTestApp({ environment: SANDBOX_BILLING });
    if (!isEmpty) await createTestPerson(app);
    await noteBillingMode(app.db, app.config, start);
    const terms = await findBillingTerms(app.db, 'sandbox');
    const day = billedDays(terms, { year: 2026, month: 3 }).start;
    expect(new Date(day).toISOString()).toBe(`2026-03-0${isEmpty ? 1 : 2}T00:00:00.000Z`);
  }
});

describe('creating what is billed', () => {
  it('needs a card: 402 without one, also for endpoints, and nothing is left behind', async () => {
    const { app, context } = await prepare();
    const refused = { code: 'billing_required', status: 402 };
    await expect(createSite(context, { name: 'blog' })).rejects.toMatchObject(refused);
    await setUpBilling(context);
    const site = await createSite(context, { name: 'blog' });
    const { default_payment_method_id } = await getCustomer(context);
    await removePaymentMethod(context, { payment_method_id: default_payment_method_id ?? '' });
    const endpoint = createEndpoint(context, { hostname: 'www.example.ca', site_id: site.id });
    await expect(endpoint).rejects.toMatchObject(refused);
    const count = await app.db.selectFrom('cdn_endpoints').select('id').execute();
    expect(count).toEqual([]);
  });

  it('is decided by the current cards: one that is removed at the same moment is removed before or after', async () => {
    const { app, context } = await prepare();
    await setUpBilling(context);
    const { default_payment_method_id } = await getCustomer(context);
    const [removed, created] = await atOnce<unknown>(app, [
      () => removePaymentMethod(context, { payment_method_id: default_payment_method_id ?? '' }),
      () => createSite(context, { name: 'blog' }),
    ]);
    expect(removed?.status).toBe('fulfilled');
    const reason = created?.status === 'rejected' ? created.reason : { code: 'billing_required' };
    expect(reason).toMatchObject({ code: 'billing_required' });
  });

  it('requires nothing when nothing is billed', async () => {
    const { context } = await prepare({});
    await createSite(context, { name: 'blog' });
  });
});

describe('an organization that existed before billing', () => {
  it('has 30 days, is told so once, and then needs a card', async () => {
    const { app, context } = await prepare({ ...SANDBOX_BILLING, ...MAIL });
    expect(await restart(app, SANDBOX_BILLING)).toBe(1);
    expect(await restart(app, SANDBOX_BILLING)).toBe(0);
    const status = await getBillingStatus(context);
    const due = app.clock.now() + SET_UP_WITHIN_MS;
    expect(status).toMatchObject({ readiness: 'grace', set_up_by: new Date(due).toISOString() });
    expect(await sendSetUpNotices(context)).toBe(1);
    expect(await sendSetUpNotices(context)).toBe(0);
    const mails = await app.db.selectFrom('outgoing_mails').select(['recipient', 'resource_type']).execute();
    expect(mails).toMatchObject([{ resource_type: 'billing' }]);
    await createSite(context, { name: 'one' });
    app.clock.advance(SET_UP_WITHIN_MS);
    expect(await getBillingStatus(context)).toMatchObject({ readiness: 'no_customer' });
    await expect(createSite(context, { name: 'two' })).rejects.toMatchObject({ code: 'billing_required' });
  });

  it('does not include one created later, or one that has billing set up', async () => {
    const { app, context } = await prepare();
    await setUpBilling(context);
    expect(await restart(app, SANDBOX_BILLING)).toBe(0);
    const newcomer = await createTestPerson(app);
    expect(await getBillingStatus(newcomer.context)).toMatchObject({ readiness: 'no_customer' });
  });

  it('has 30 days again when billing was off in the meantime', async () => {
    const { app, context } = await prepare();
    await restart(app, SANDBOX_BILLING);
    app.clock.advance(2 * SET_UP_WITHIN_MS);
    expect(await restart(app, { BILLING_MODE: 'off' })).toBe(0);
    expect(await restart(app, SANDBOX_BILLING)).toBe(1);
    expect(await getBillingStatus(context)).toMatchObject({ readiness: 'grace' });
  });
});

import { describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { enterCard, SANDBOX_BILLING, setUpBilling, TEST_CARDS } from '#tests/support/billing.ts';
import {
  insertSite,
  jobContext,
  makePayingOrganization,
  readProviderInvoices,
  runMonthEnd,
  travelTo,
  withCrashes,
} from '#tests/support/billing-month.ts';
import { listenToAll } from '#tests/support/listen-to.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { createTestPerson } from '#tests/support/test-person.ts';
import { countUsage, usageRow } from '#tests/support/usage-batches.ts';
import { addPaymentMethod } from './add-payment-method.ts';
import { closeMonths } from './close-months.ts';
import { collectPayments } from './collect-payment.ts';
import { getCustomer } from './get-customer.ts';
import { getInvoice } from './get-invoice.ts';
import { getInvoiceUsage } from './get-invoice-usage.ts';
import { issueInvoices } from './issue-invoice.ts';
import { listInvoices } from './list-invoices.ts';
import { removePaymentMethod } from './remove-payment-method.ts';
import { setDefaultPaymentMethod } from './set-default-payment-method.ts';
import { readSnapshot, recomputeInvoice } from './snapshot.ts';

const MARCH = Date.UTC(2026, 2, 1);
const APRIL = Date.UTC(2026, 3, 1);
const TAXES = 'GST:123456789RT0001,QST:1234567890TQ0001';

/** An organization with a card and a site, in March. */
async function prepare(
  words: { card?: string; isSetUp?: boolean; environment?: Record<string, string> } = {},
) {
  const environment = { ...SANDBOX_BILLING, TAX_REGISTRATIONS: TAXES, ...words.environment };
  const app = await createTestApp({ environment });
  const person = await createTestPerson(app);
  const { context } = person;
  if (words.isSetUp !== false) await setUpBilling(context, words.card ? { card: words.card } : {});
  const site = await insertSite(app, context.organization.id, app.clock.now());
  const use = (at: number, bytes_sent: number, requests = 0) =>
    countUsage(app, [usageRow(context.organization.id, { siteId: site }, { bytes_sent, requests })], at);
  return { app, person, context, site, use };
}

describe('the end of a month', () => {
  it('creates one invoice a day later, with taxes, and charges it', async () => {
    const { app, context, use } = await prepare();
    const told = await listenToAll(context);
    await use(MARCH + DAY_MS, 100 * 2 ** 30, 2_000_000);
    travelTo(app, APRIL + DAY_MS - 1);
    await runMonthEnd(app);
    expect(await listInvoices(context)).toEqual([]);
    travelTo(app, APRIL + DAY_MS);
    expect(await runMonthEnd(app)).toEqual([]);
    const [invoice] = await listInvoices(context);
    expect(invoice).toMatchObject({
      billing_month: 3,
      billing_year: 2026,
      status: 'paid',
      site_cents: 300,
      bandwidth_cents: 1_000,
      request_cents: 200,
      subtotal_cents: 1_500,
      tax_details: [
        { tax_name: 'GST', tax_rate: 5, amount: 75 },
        { tax_name: 'QST', tax_rate: 9.975, amount: 150 },
      ],
      total_cents: 1_725,
      amount_due_cents: 1_725,
      number: expect.any(String),
    });
    const facts = { invoice_id: invoice?.id, number: invoice?.number, amount_cents: 1_725 };
    expect(await told()).toMatchObject([
      { type: 'invoice.issued', data: facts },
      { type: 'invoice.paid', data: facts },
    ]);
    expect(await readProviderInvoices(app)).toMatchObject([
      { status: 'paid', total: 1_725, amount_paid: 1_725 },
    ]);
    expect(await runMonthEnd(app)).toEqual([]);
    expect(await listInvoices(context)).toHaveLength(1);
  });

  it('is the same however often and concurrently it runs', async () => {
    const { app, context } = await prepare();
    travelTo(app, APRIL + DAY_MS);
    await Promise.all([runMonthEnd(app), runMonthEnd(app), runMonthEnd(app)]);
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([{ status: 'paid' }]);
    expect(await readProviderInvoices(app)).toMatchObject([{ amount_paid: 345 }]);
  });

  it('is the same when the clock steps back over it and forward again', async () => {
    const { app, context } = await prepare();
    travelTo(app, APRIL + DAY_MS);
    const crashing = await withCrashes(app, (call) => (call === 'payInvoice' ? 'after' : null));
    await runMonthEnd(crashing);
    for (const at of [APRIL - DAY_MS, MARCH - 40 * DAY_MS, APRIL + DAY_MS, APRIL + 2 * DAY_MS]) {
      travelTo(app, at);
      await runMonthEnd(app);
    }
    expect(await listInvoices(context)).toMatchObject([{ billing_month: 3, status: 'paid' }]);
    expect(await readProviderInvoices(app)).toMatchObject([{ amount_paid: 345 }]);
  });

  it('fixes the buyer at that time, and calculates the same invoice again', async () => {
    const { app, context, site, use } = await prepare();
    await use(MARCH, 53_687_092);
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    const [{ id } = { id: '' }] = await listInvoices(context);
    const invoice = await getInvoice(context, { invoice_id: id });
    expect(invoice).toMatchObject({
      buyer: { company: 'Analytical Engines', province: 'QC' },
      seller: { name: 'Portage', registrations: { GST: '123456789RT0001' } },
      tax_reason: 'taxable',
    });
    const { snapshot } = await app.db
      .selectFrom('billing_months')
      .select('snapshot')
      .where('invoice_id', '=', id)
      .executeTakeFirstOrThrow();
    // What arrives now does not change it.
    await use(MARCH, 2 ** 40);
    expect(await getInvoiceUsage(context, { invoice_id: id })).toMatchObject({
      start_date: '2026-03-01',
      end_date: '2026-03-31',
      resources: [{ id: site, type: 'site' }],
      served: [{ cdn_endpoint_id: null, site_id: site, total_bytes_sent: 53_687_092, total_requests: 0 }],
    });
    const place = { country: 'CA', province: 'QC' as const };
    const again = recomputeInvoice(
      { year: 2026, month: 3 },
      readSnapshot(snapshot),
      place,
      invoice.seller?.registrations ?? {},
    );
    expect([again.subtotalCents, again.totalCents]).toEqual([invoice.subtotal_cents, invoice.total_cents]);
  });

  it('bills usage that arrived late on the next invoice, under its month, and only once', async () => {
    const { app, context, use } = await prepare();
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    await use(APRIL - HOUR_MS, 10 * 2 ** 30);
    for (const month of [4, 5]) {
      travelTo(app, Date.UTC(2026, month, 2));
      await runMonthEnd(app);
    }
    const [may, april, march] = await listInvoices(context);
    expect(march).toMatchObject({ billing_month: 3, subtotal_cents: 300, adjustments: [] });
    expect(april).toMatchObject({
      billing_month: 4,
      subtotal_cents: 400,
      adjustments: [
        {
          usage_kind: 'bandwidth',
          billing_month: 3,
          billing_year: 2026,
          quantity: 10 * 2 ** 30,
          amount_cents: 100,
        },
      ],
    });
    expect(may).toMatchObject({ billing_month: 5, subtotal_cents: 300, adjustments: [] });
  });

  it('creates no invoice for nothing, and catches up months in which no job ran', async () => {
    const { app, person, context } = await prepare();
    const { organization } = await createTestPerson(app);
    travelTo(app, Date.UTC(2026, 5, 2));
    await runMonthEnd(app);
    expect((await listInvoices(context)).map(({ billing_month }) => billing_month)).toEqual([5, 4, 3]);
    const months = app.db.selectFrom('billing_months').select('organization_id');
    const closed = (await months.execute()).map(({ organization_id }) => organization_id);
    expect(closed).not.toContain(organization.id);
    expect(new Set(closed)).toEqual(new Set([person.organization.id]));
  });

  it('bills nothing from before billing began', async () => {
    const { app, context, use } = await prepare();
    await app.db
      .insertInto('installation_values')
      .values({ name: 'billing_since_sandbox', value: String(MARCH + 10 * DAY_MS + HOUR_MS), created_at: 0 })
      .execute();
    await use(MARCH + 10 * DAY_MS, 100 * 2 ** 30);
    await use(MARCH + 11 * DAY_MS, 10 * 2 ** 30);
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([{ billing_month: 3, bandwidth_cents: 100 }]);
  });

  it('holds the invoice of an organization without an address, and continues when there is one', async () => {
    const { app, context } = await prepare({ isSetUp: false });
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([{ status: 'draft', subtotal_cents: 300 }]);
    const held = await app.db.selectFrom('invoices').select('hold_reason').execute();
    expect(held).toEqual([{ hold_reason: 'no_customer' }]);
    await setUpBilling(context);
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([{ status: 'paid', total_cents: 345 }]);
  });

  it('never finalizes an invoice whose totals at the provider differ from ours', async () => {
    const { app, context } = await prepare();
    travelTo(app, APRIL + DAY_MS);
    await closeMonths(jobContext(app));
    const crashing = await withCrashes(app, (call) => (call === 'finalizeInvoice' ? 'before' : null));
    await issueInvoices(jobContext(crashing)).catch(() => 0);
    const [{ id, body } = { id: '', body: '{}' }] = await app.db
      .selectFrom('sandbox_objects')
      .select(['id', 'body'])
      .where('kind', '=', 'invoice')
      .execute();
    const altered = JSON.stringify({ ...JSON.parse(body), total: 1 });
    await app.db.updateTable('sandbox_objects').set({ body: altered }).where('id', '=', id).execute();
    app.clock.advance(DAY_MS);
    await issueInvoices(jobContext(app)).catch(() => 0);
    expect(await listInvoices(context)).toMatchObject([{ status: 'draft' }]);
    expect(await readProviderInvoices(app)).toMatchObject([{ status: 'draft' }]);
    const stuck = await app.db.selectFrom('stuck_work').select(['job', 'error']).execute();
    expect(stuck).toMatchObject([{ job: 'issue-invoices', error: expect.stringContaining('1 cents') }]);
  });

  it('leaves a total below fifty cents for the next invoice', async () => {
    const { app, context, site, use } = await prepare();
    await app.db
      .updateTable('resource_lifetimes')
      .set({ ended_at: MARCH })
      .where('resource_id', '=', site)
      .execute();
    await use(MARCH, 2 ** 30);
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    await insertSite(app, context.organization.id, app.clock.now());
    travelTo(app, Date.UTC(2026, 4, 2));
    await runMonthEnd(app);
    const [april, march] = await listInvoices(context);
    // Ten cents, one cent of GST and one of QST.
    expect(march).toMatchObject({ status: 'paid', total_cents: 12, amount_due_cents: 12 });
    expect(april).toMatchObject({ status: 'paid', total_cents: 345, amount_due_cents: 357 });
    expect((await readProviderInvoices(app)).map(({ amount_paid }) => amount_paid)).toEqual([0, 357]);
  });
});

describe('an invoice that cannot be charged', () => {
  const MAIL = { MAIL_URL: 'smtp://127.0.0.1:2525', MAIL_FROM: 'no-reply@example.ca' };
  const attemptsOf = async (app: Awaited<ReturnType<typeof prepare>>['app']) =>
    (await app.db.selectFrom('payment_attempts').select(['reason', 'outcome']).orderBy('id').execute()).map(
      ({ reason, outcome }) => `${reason} ${outcome}`,
    );

  it('is attempted on days 0, 3, 5, 7 and 14, people are told each time, and it stays open', async () => {
    const { app, context } = await prepare({ card: TEST_CARDS.declinesLater, environment: MAIL });
    travelTo(app, APRIL + DAY_MS);
    for (let day = 0; day <= 20; day += 1) {
      await runMonthEnd(app);
      app.clock.advance(DAY_MS);
    }
    expect(await attemptsOf(app)).toEqual([
      'month_end declined',
      ...Array.from({ length: 4 }, () => 'dunning declined'),
    ]);
    expect(await listInvoices(context)).toMatchObject([{ status: 'open', payment_problem: 'declined' }]);
    const mails = await app.db.selectFrom('outgoing_mails').select('recipient').execute();
    // The invoice to the contact, then each failure to the contact and to the owner.
    expect(mails).toHaveLength(1 + 5 * 2);
  });

  it('is charged immediately when there is another default card', async () => {
    const { app, context } = await prepare({ card: TEST_CARDS.declinesLater });
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    const { default_payment_method_id } = await getCustomer(context);
    await addPaymentMethod(context, { setup_intent_id: await enterCard(context) });
    await removePaymentMethod(context, { payment_method_id: default_payment_method_id ?? '' });
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([{ status: 'paid', payment_problem: null }]);
    expect(await attemptsOf(app)).toEqual(['month_end declined', 'dunning paid']);
  });

  it('is charged to a card that becomes the default while an attempt is under way', async () => {
    const { app, context } = await prepare({ card: TEST_CARDS.declinesLater });
    const declined = (await getCustomer(context)).default_payment_method_id;
    const { payment_methods } = await addPaymentMethod(context, {
      setup_intent_id: await enterCard(context),
    });
    const other = payment_methods.find(({ id }) => id !== declined)?.id ?? '';
    const { provider } = (await app.payments?.open()) ?? {};
    if (!provider) throw new Error('nothing is billed');
    const pay = provider.payInvoice;
    const spy = vi.spyOn(provider, 'payInvoice').mockImplementationOnce(async (...call) => {
      await setDefaultPaymentMethod(context, { payment_method_id: other });
      // Another run of the job finds it due.
      await collectPayments(jobContext(app));
      return pay(...call);
    });
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    await runMonthEnd(app);
    expect(spy).toHaveBeenCalledTimes(2);
    expect(await listInvoices(context)).toMatchObject([{ status: 'paid', payment_problem: null }]);
    expect(await attemptsOf(app)).toEqual(['month_end declined', 'dunning paid']);
  });

  it('is not charged again and again by changing the default card to and fro', async () => {
    const { app, context } = await prepare({ card: TEST_CARDS.declinesLater });
    const setup_intent_id = await enterCard(context, TEST_CARDS.declinesLater);
    const { payment_methods } = await addPaymentMethod(context, { setup_intent_id });
    travelTo(app, APRIL + DAY_MS);
    for (let turn = 0; turn < 20; turn += 1) {
      const payment_method_id = payment_methods[turn % 2]?.id ?? '';
      await setDefaultPaymentMethod(context, { payment_method_id });
      await runMonthEnd(app);
      app.clock.advance(60_000);
    }
    expect(await attemptsOf(app)).toHaveLength(5);
    app.clock.advance(3 * DAY_MS);
    await runMonthEnd(app);
    expect(await attemptsOf(app)).toHaveLength(6);
  });

  it('waits for the cardholder when the bank requires it, and says so', async () => {
    const { app, context } = await prepare({ card: TEST_CARDS.authenticates });
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([
      { status: 'open', payment_problem: 'authentication' },
    ]);
  });

  it('requests a card when there is none', async () => {
    const { app, context } = await prepare();
    const { default_payment_method_id } = await getCustomer(context);
    await removePaymentMethod(context, { payment_method_id: default_payment_method_id ?? '' });
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([
      { status: 'open', payment_problem: 'no_payment_method' },
    ]);
    expect(await collectPayments(jobContext(app))).toBe(0);
  });
});

describe('a crash at the end of a month', () => {
  const CALLS = [
    'findInvoice',
    'createInvoice',
    'addInvoiceLines',
    'finalizeInvoice',
    'payInvoice',
    'getInvoice',
  ];

  it.each(CALLS.flatMap((call) => [[call, 'before'] as const, [call, 'after'] as const]))(
    'at %s (%s) leaves exactly one paid invoice',
    async (call, moment) => {
      const { app, context } = await prepare();
      travelTo(app, APRIL + DAY_MS);
      let isCrashed = false;
      const crashing = await withCrashes(app, (asked) => {
        if (asked !== call || isCrashed) return null;
        isCrashed = true;
        return moment;
      });
      for (let round = 0; round < 4; round += 1) {
        await runMonthEnd(crashing);
        app.clock.advance(HOUR_MS);
      }
      expect(isCrashed).toBe(true);
      expect(await listInvoices(context)).toMatchObject([{ status: 'paid', total_cents: 345 }]);
      expect(await readProviderInvoices(app)).toMatchObject([{ status: 'paid', amount_paid: 345 }]);
    },
  );

  it('anywhere and any number of times leaves exactly one paid invoice for every account and month', async () => {
    const { app, person } = await prepare();
    const random = seededRandom(12);
    const accounts = 8;
    for (let count = 1; count < accounts; count += 1) await makePayingOrganization(person, app.clock.now());
    const crashing = await withCrashes(app, () => {
      const drawn = random.next();
      return drawn < 0.1 ? 'before' : drawn < 0.2 ? 'after' : null;
    });
    const months = 12;
    for (let month = 3; month < 3 + months; month += 1) {
      travelTo(app, Date.UTC(2026, month, 2));
      for (let round = 0; round < 10; round += 1) {
        await runMonthEnd(crashing);
        app.clock.advance(6 * HOUR_MS);
      }
    }
    await runMonthEnd(app);
    const ours = await app.db.selectFrom('invoices').select(['status', 'amount_paid_cents']).execute();
    expect(ours).toHaveLength(accounts * months);
    const theirs = await readProviderInvoices(app);
    expect(theirs).toHaveLength(accounts * months);
    expect(new Set(theirs.map(({ metadata }) => metadata.portage_key)).size).toBe(accounts * months);
    expect(new Set(ours.map(({ status }) => status))).toEqual(new Set(['paid']));
    expect(theirs.reduce((sum, { amount_paid }) => sum + amount_paid, 0)).toBe(accounts * months * 345);
  });
});

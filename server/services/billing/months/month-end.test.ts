import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { readMails } from '#tests/support/app/read-mails.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { prepareBilledSite } from '#tests/support/billing/billed-site.ts';
import { setUpBilling } from '#tests/support/billing/billing.ts';
import {
  insertSite,
  jobContext,
  makePayingOrganization,
  readProviderInvoices,
  runMonthEnd,
  travelTo,
  withCrashes,
} from '#tests/support/billing/billing-month.ts';
import { readPdf } from '#tests/support/read-pdf.ts';
import { countUsage, usageRow } from '#tests/support/usage/usage-batches.ts';
import { listenToAll } from '#tests/support/webhooks/listen-to.ts';
import { creditInvoice } from '../credits/credit-invoice.ts';
import { getCustomer } from '../customers/get-customer.ts';
import { updateBillingContact } from '../customers/update-billing-contact.ts';
import { exportInvoice } from '../invoices/export-invoice.ts';
import { getInvoice } from '../invoices/get-invoice.ts';
import { getInvoiceUsage } from '../invoices/get-invoice-usage.ts';
import { issueInvoices } from '../invoices/issue-invoice.ts';
import { listInvoices } from '../invoices/list-invoices.ts';
import { findBillingTerms } from './billing-terms.ts';
import { closeMonth } from './close-month.ts';
import { closeMonths } from './close-months.ts';
import { getCost } from './get-cost.ts';
import { previewMonth } from './preview-month.ts';
import { readSnapshot, recomputeInvoice } from './snapshot.ts';

const MARCH = Date.UTC(2026, 2, 1);
const APRIL = Date.UTC(2026, 3, 1);

describe('the end of a month', () => {
  it('creates one invoice a day later, with taxes, and charges it', async () => {
    const { app, context, use } = await prepareBilledSite();
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

  it('names lines and taxes at the provider in the customer’s language', async () => {
    const { app, context } = await prepareBilledSite();
    if (context.actor.kind !== 'person') throw new Error('a person pays');
    await app.db
      .updateTable('users')
      .set({ language_preference: 'fr-CA' })
      .where('id', '=', context.actor.userId)
      .execute();
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    const [invoice] = await readProviderInvoices(app);
    expect(invoice?.lines.data).toMatchObject([
      {
        description: 'Sites actifs\u00a0: 1',
        taxes: [
          { tax_rate_details: { tax_rate: 'txr_tps_5' } },
          { tax_rate_details: { tax_rate: 'txr_tvq_9.975' } },
        ],
      },
    ]);
    // The console names them in the language of whoever reads.
    expect(await listInvoices(context)).toMatchObject([
      { tax_details: [{ tax_name: 'GST' }, { tax_name: 'QST' }], total_cents: 345 },
    ]);
  });

  it('is the same however often and concurrently it runs', async () => {
    const { app, context } = await prepareBilledSite();
    travelTo(app, APRIL + DAY_MS);
    await Promise.all([runMonthEnd(app), runMonthEnd(app), runMonthEnd(app)]);
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([{ status: 'paid' }]);
    expect(await readProviderInvoices(app)).toMatchObject([{ amount_paid: 345 }]);
  });

  it('is the same when the clock steps back over it and forward again', async () => {
    const { app, context } = await prepareBilledSite();
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
    const { app, context, site, use } = await prepareBilledSite();
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
    const { app, context, use } = await prepareBilledSite();
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

  it('bills late usage once, even when two later months are closed at the same time', async () => {
    const { app, person } = await prepareBilledSite();
    // Several, since the moments at which both read and write are short.
    const payers = await Promise.all(
      Array.from({ length: 6 }, () => makePayingOrganization(person, app.clock.now())),
    );
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    for (const { id, site } of payers) {
      const row = usageRow(id, { siteId: site }, { bytes_sent: 10 * 2 ** 30 });
      await countUsage(app, [row], APRIL - HOUR_MS);
    }
    travelTo(app, Date.UTC(2026, 5, 2));
    const terms = await findBillingTerms(app.db, 'sandbox');
    await Promise.allSettled(
      payers.flatMap(({ id }) =>
        [4, 5].map((month) =>
          closeMonth(app, { organizationId: id, mode: 'sandbox' }, { year: 2026, month }, terms),
        ),
      ),
    );
    await runMonthEnd(app);
    for (const { context } of payers) {
      const invoices = await listInvoices(context);
      expect(invoices.map(({ billing_month }) => billing_month)).toEqual([5, 4, 3]);
      expect(invoices.flatMap(({ adjustments }) => adjustments)).toMatchObject([{ amount_cents: 100 }]);
    }
  });

  it('creates no invoice for nothing, and catches up months in which no job ran', async () => {
    const { app, person, context } = await prepareBilledSite();
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
    const { app, context, use } = await prepareBilledSite();
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

  it('bills no site for a month of which no whole day is billed', async () => {
    const { app, context } = await prepareBilledSite();
    const account = { organizationId: context.organization.id, mode: 'sandbox' as const };
    // At noon of the last of March: the first whole day is in April.
    const terms = { since: APRIL - DAY_MS / 2, storagePrices: [] };
    await app.db
      .insertInto('installation_values')
      .values({ name: 'billing_since_sandbox', value: String(terms.since), created_at: 0 })
      .execute();
    travelTo(app, APRIL - HOUR_MS);
    expect(await getCost(context)).toMatchObject({ site_count: 0, total_cents: 0, forecast_total_cents: 0 });
    travelTo(app, APRIL + DAY_MS);
    expect(await closeMonth(app, account, { year: 2026, month: 3 }, terms)).toMatchObject({
      invoiceId: null,
    });
    for (const month of ['2026-02', '2026-03']) {
      expect(await previewMonth(operatorContext(app), { month })).toEqual([]);
    }
    travelTo(app, Date.UTC(2026, 4, 2));
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([{ billing_month: 4, site_cents: 300 }]);
  });

  it('holds the invoice of an organization without an address, and continues when there is one', async () => {
    const { app, context } = await prepareBilledSite({ isSetUp: false });
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
    const { app, context } = await prepareBilledSite();
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

  it('has the taxes of where the buyer was when the month closed, whatever the address is when it is issued', async () => {
    const { app, context } = await prepareBilledSite();
    travelTo(app, APRIL + DAY_MS);
    const hold = (provider_id: string | null) =>
      app.db.updateTable('billing_customers').set({ provider_id }).execute();
    const { id: customer } = await getCustomer(context);
    await hold(null);
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([{ status: 'draft', tax_details: [] }]);
    await hold(customer);
    await updateBillingContact(context, {
      billing_address_line1: '1 Main Street',
      billing_city: 'Ottawa',
      billing_province: 'ON',
      billing_postal_code: 'K1A 0B1',
      billing_country: 'CA',
    });
    await runMonthEnd(app);
    const [{ id } = { id: '' }] = await listInvoices(context);
    expect(await getInvoice(context, { invoice_id: id })).toMatchObject({
      status: 'paid',
      tax_details: [{ tax_name: 'GST' }, { tax_name: 'QST' }],
      total_cents: 345,
      buyer: { province: 'ON' },
      tax_place: { country: 'CA', province: 'QC' },
    });
    const { content } = await exportInvoice(context, 'pdf', { invoice_id: id, language: 'en-CA' });
    expect(readPdf(content).pages.join(' ')).toContain('where the buyer was when the month closed: QC.');
    travelTo(app, Date.UTC(2026, 4, 2));
    await runMonthEnd(app);
    const [april] = await listInvoices(context);
    expect(april).toMatchObject({ billing_month: 4, tax_details: [{ tax_name: 'HST', tax_rate: 13 }] });
    expect(await getInvoice(context, { invoice_id: april?.id ?? '' })).toMatchObject({ tax_place: null });
  });

  it('has the taxes of the first address where none was known when the month closed', async () => {
    const { app, context } = await prepareBilledSite({ isSetUp: false });
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    await setUpBilling(context, { contact: { province: 'ON', postal_code: 'K1A 0B1' } });
    await runMonthEnd(app);
    const [{ id } = { id: '' }] = await listInvoices(context);
    expect(await getInvoice(context, { invoice_id: id })).toMatchObject({
      status: 'paid',
      tax_details: [{ tax_name: 'HST' }],
      tax_place: null,
    });
  });

  it('leaves a total below fifty cents for the next invoice', async () => {
    const environment = { MAIL_URL: 'smtp://127.0.0.1:2525', MAIL_FROM: 'no-reply@example.ca' };
    const { app, context, site, use } = await prepareBilledSite({ environment });
    await app.db
      .updateTable('resource_lifetimes')
      .set({ ended_at: MARCH })
      .where('resource_id', '=', site)
      .execute();
    await use(MARCH, 2 ** 30);
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    expect(await readMails(app)).toMatchObject([
      {
        subject: 'Invoice for March 2026: $0.12 · Portage',
        text: expect.stringContaining('Nothing is charged'),
      },
    ]);
    await insertSite(app, context.organization.id, app.clock.now());
    travelTo(app, Date.UTC(2026, 4, 2));
    await runMonthEnd(app);
    const [april, march] = await listInvoices(context);
    // Ten cents, one cent of GST and one of QST.
    expect(march).toMatchObject({ status: 'paid', total_cents: 12, amount_due_cents: 0 });
    expect(april).toMatchObject({ status: 'paid', total_cents: 345, amount_due_cents: 357 });
    expect((await readProviderInvoices(app)).map(({ amount_paid }) => amount_paid)).toEqual([0, 357]);
  });

  it('covers a total below fifty cents by a credit, of which the invoice takes no more than its total', async () => {
    const { app, context, site, use } = await prepareBilledSite();
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    const [{ id: invoice_id } = { id: '' }] = await listInvoices(context);
    const part = { invoice_id, amount_cents: 100, reason: 'An outage' };
    await creditInvoice(operatorContext(app), part);
    await app.db
      .updateTable('resource_lifetimes')
      .set({ ended_at: APRIL })
      .where('resource_id', '=', site)
      .execute();
    await use(APRIL, 2 ** 30);
    travelTo(app, Date.UTC(2026, 4, 2));
    await runMonthEnd(app);
    const [april] = await listInvoices(context);
    const covered = { status: 'paid', total_cents: 12, amount_due_cents: 0, starting_balance_cents: -100 };
    expect(april).toMatchObject(covered);
    const csv = await exportInvoice(context, 'csv', { invoice_id: april?.id ?? '', language: 'en-CA' });
    expect(String(csv.content)).toContain('Credit from earlier invoices,2026-04,,,,-0.12');
    await insertSite(app, context.organization.id, app.clock.now());
    travelTo(app, Date.UTC(2026, 5, 2));
    await runMonthEnd(app);
    expect((await listInvoices(context))[0]).toMatchObject({ amount_due_cents: 345 - 88 });
  });
});

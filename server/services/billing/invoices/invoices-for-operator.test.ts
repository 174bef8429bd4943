import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { enterCard, SANDBOX_BILLING, setUpBilling, TEST_CARDS } from '#tests/support/billing/billing.ts';
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
import { listenToAll } from '#tests/support/webhooks/listen-to.ts';
import { creditInvoice } from '../credits/credit-invoice.ts';
import { addPaymentMethod } from '../customers/add-payment-method.ts';
import { setDefaultPaymentMethod } from '../customers/set-default-payment-method.ts';
import { previewMonth } from '../months/preview-month.ts';
import { runMonth } from '../months/run-month.ts';
import { reconcileBilling } from '../payments/reconcile-billing.ts';
import { exportInvoice } from './export-invoice.ts';
import { listInvoices } from './list-invoices.ts';
import { listInvoicesForOperator } from './list-invoices-for-operator.ts';
import { markInvoicePaid } from './mark-invoice-paid.ts';
import { resendInvoice } from './resend-invoice.ts';
import { voidInvoice } from './void-invoice.ts';

const APRIL = Date.UTC(2026, 3, 1);
const MAIL = { MAIL_URL: 'smtp://127.0.0.1:2525', MAIL_FROM: 'no-reply@example.ca' };

/** An organization whose March is over, with a card that is declined unless another is given. */
async function prepare(card: string = TEST_CARDS.declinesLater) {
  const app = await createTestApp({ environment: { ...SANDBOX_BILLING, ...MAIL } });
  const person = await createTestPerson(app);
  const { context } = person;
  await setUpBilling(context, { card });
  await insertSite(app, context.organization.id, app.clock.now());
  travelTo(app, APRIL + DAY_MS);
  const operator = operatorContext(app);
  const invoiceOf = async () => (await listInvoices(context))[0];
  return { app, person, context, operator, invoiceOf };
}

describe('a preview of a month', () => {
  it('shows what would be billed, and why something is held, and changes nothing', async () => {
    const { app, person, context, operator } = await prepare();
    const other = await makePayingOrganization(person, APRIL - DAY_MS);
    const newcomer = await createTestPerson(app);
    await insertSite(app, newcomer.organization.id, APRIL - DAY_MS);
    const tables = async () =>
      JSON.stringify(await app.db.selectFrom('billing_months').selectAll().execute()) +
      JSON.stringify(await app.db.selectFrom('invoices').selectAll().execute());
    const before = await tables();
    const previewed = await previewMonth(operator, { month: '2026-03' });
    expect(await tables()).toBe(before);
    const byId = new Map(previewed.map((each) => [each.organization_id, each]));
    expect(byId.size).toBe(3);
    expect(byId.get(context.organization.id)).toMatchObject({
      total_cents: 300,
      hold_reason: null,
      is_closed: false,
    });
    expect(byId.get(newcomer.organization.id)).toMatchObject({ hold_reason: 'no_contact' });
    await runMonthEnd(app);
    const after = await previewMonth(operator, { month: '2026-03' });
    expect(after.find(({ organization_id }) => organization_id === other.id)).toMatchObject({
      is_closed: true,
    });
    await expect(previewMonth(context, { month: '2026-03' })).rejects.toMatchObject({
      code: 'operator_required',
    });
  });
});

describe('the run of a month by an operator', () => {
  it('bills past months, once, and nothing that is still open', async () => {
    const { app, operator, invoiceOf } = await prepare(TEST_CARDS.works);
    expect(await runMonth(operator, { month: '2026-03' })).toEqual({ closed: 1, issued: 1, tried: 1 });
    expect(await runMonth(operator, { month: '2026-03' })).toEqual({ closed: 0, issued: 0, tried: 0 });
    expect(await invoiceOf()).toMatchObject({ status: 'paid' });
    expect(await readProviderInvoices(app)).toHaveLength(1);
    await expect(runMonth(operator, { month: '2026-04' })).rejects.toMatchObject({ code: 'month_open' });
  });
});

describe('an invoice in the operator’s hands', () => {
  it('is voided, and never charged after that', async () => {
    const { app, operator, invoiceOf, context } = await prepare();
    await runMonthEnd(app);
    const id = (await invoiceOf())?.id ?? '';
    const told = await listenToAll(context);
    expect(await voidInvoice(operator, { invoice_id: id })).toMatchObject({ status: 'void' });
    expect(await voidInvoice(operator, { invoice_id: id })).toMatchObject({ status: 'void' });
    await expect(markInvoicePaid(operator, { invoice_id: id })).rejects.toMatchObject({
      code: 'invoice_not_open',
    });
    await setDefaultPaymentMethod(context, { payment_method_id: (await cardOf(app)) ?? '' });
    app.clock.advance(20 * DAY_MS);
    await runMonthEnd(app);
    expect(await invoiceOf()).toMatchObject({ status: 'void' });
    expect(await readProviderInvoices(app)).toMatchObject([{ status: 'void', amount_paid: 0 }]);
    const voided = (await told()).filter(({ type }) => type === 'invoice.voided');
    expect(voided).toMatchObject([{ data: { invoice_id: id, amount_cents: 300 } }]);
  });

  it('is voided while it is held, when nobody can set up billing any more', async () => {
    const { app, operator } = await prepare();
    const newcomer = await createTestPerson(app);
    await insertSite(app, newcomer.organization.id, APRIL - DAY_MS);
    await runMonthEnd(app);
    const [held] = await listInvoices(newcomer.context);
    const told = await listenToAll(newcomer.context);
    expect(held).toMatchObject({ status: 'draft' });
    expect(await voidInvoice(operator, { invoice_id: held?.id ?? '' })).toMatchObject({ status: 'void' });
    await setUpBilling(newcomer.context);
    await runMonthEnd(app);
    expect(await listInvoices(newcomer.context)).toMatchObject([{ status: 'void', number: null }]);
    expect(await told()).toMatchObject([
      { type: 'invoice.voided', data: { invoice_id: held?.id, number: null, amount_cents: 300 } },
    ]);
    expect(await readProviderInvoices(app)).toHaveLength(1);
  });

  it('is not credited down to what no card can be charged', async () => {
    const { app, operator, invoiceOf } = await prepare();
    await runMonthEnd(app);
    const invoice_id = (await invoiceOf())?.id ?? '';
    const credit = (amount_cents: number) =>
      creditInvoice(operator, { invoice_id, amount_cents, reason: String(amount_cents) });
    await expect(credit(251)).rejects.toMatchObject({
      code: 'credit_leaves_too_little',
      params: { left: 300, minimum: 50 },
    });
    await credit(250);
    await credit(50);
    expect(await invoiceOf()).toMatchObject({ status: 'paid', amount_due_cents: 0 });
  });

  it('is not credited with more than is due while the provider has not heard of an earlier credit', async () => {
    const { app, operator, invoiceOf } = await prepare();
    await runMonthEnd(app);
    const invoice_id = (await invoiceOf())?.id ?? '';
    // A credit from an earlier invoice has lowered what is due.
    await app.db.updateTable('invoices').set({ amount_due_cents: 200 }).execute();
    const silent = await withCrashes(app, (call) => (call === 'createCreditNote' ? 'before' : null));
    const first = creditInvoice(
      { ...operator, app: silent },
      { invoice_id, amount_cents: 150, reason: 'one' },
    );
    await expect(first).rejects.toThrow('killed');
    const second = creditInvoice(operator, { invoice_id, amount_cents: 100, reason: 'two' });
    await expect(second).rejects.toMatchObject({ code: 'credit_too_large', params: { left: 50 } });
  });

  it('is paid by other means, found by its printed number', async () => {
    const { app, operator, invoiceOf } = await prepare();
    await runMonthEnd(app);
    const number = (await invoiceOf())?.number ?? '';
    const pay = () => markInvoicePaid(operator, { invoice_id: number });
    const twice = await Promise.all([pay(), pay()]);
    expect([...twice, await pay()].map(({ status }) => status)).toEqual(['paid', 'paid', 'paid']);
    expect(await invoiceOf()).toMatchObject({ status: 'paid' });
    const attempts = await app.db
      .selectFrom('payment_attempts')
      .select('reason')
      .orderBy('started_at')
      .orderBy('reason', 'desc')
      .execute();
    expect(attempts.map(({ reason }) => reason)).toEqual(['month_end', 'elsewhere']);
    const listed = await listInvoicesForOperator(operator, { status: 'paid', month: '2026-03' });
    expect(listed).toMatchObject([{ number, total_cents: 300 }]);
    expect(await listInvoicesForOperator(operator, { status: 'open' })).toEqual([]);
  });

  it('is credited with what is due while it is open, and with the rest once it is paid', async () => {
    const { app, context, operator } = await prepare(TEST_CARDS.works);
    await runMonthEnd(app);
    const invoiceIn = async (month: number) =>
      (await listInvoices(context)).find(({ billing_month }) => billing_month === month);
    const credit = async (month: number, amount_cents: number, reason: string) =>
      creditInvoice(operator, { invoice_id: (await invoiceIn(month))?.id ?? '', amount_cents, reason });
    app.clock.advance(DAY_MS);
    await credit(3, 100, 'An outage');
    const setup_intent_id = await enterCard(context, TEST_CARDS.declinesLater);
    const { payment_methods } = await addPaymentMethod(context, { setup_intent_id });
    const payment_method_id = payment_methods.at(-1)?.id ?? '';
    await setDefaultPaymentMethod(context, { payment_method_id });
    travelTo(app, Date.UTC(2026, 4, 2));
    await runMonthEnd(app);
    expect(await invoiceIn(4)).toMatchObject({ status: 'open', total_cents: 300, amount_due_cents: 200 });
    // The dollar that March left over is no part of what is due.
    await expect(credit(4, 201, 'All of it')).rejects.toMatchObject({ params: { left: 200 } });
    await credit(4, 200, 'What is due');
    app.clock.advance(DAY_MS);
    await credit(4, 100, 'The rest');
    expect(await invoiceIn(4)).toMatchObject({
      ...{ status: 'paid', amount_due_cents: 0, credited_cents: 300, credited_early_cents: 200 },
    });
  });

  it('is listed as open while it is owed, also after the provider gave it up', async () => {
    const { app, operator } = await prepare();
    await runMonthEnd(app);
    await app.db.updateTable('invoices').set({ status: 'uncollectible' }).execute();
    expect(await listInvoicesForOperator(operator, { status: 'open' })).toMatchObject([
      { status: 'uncollectible', total_cents: 300 },
    ]);
  });

  it('is credited up to what remains of it, even when the provider was down', async () => {
    const { app, context, operator, invoiceOf } = await prepare();
    await runMonthEnd(app);
    const invoice_id = (await invoiceOf())?.id ?? '';
    const told = await listenToAll(context);
    const away = await withCrashes(app, (call) => (call === 'createCreditNote' ? 'after' : null));
    const interrupted = creditInvoice(
      { ...operator, app: away },
      { invoice_id, amount_cents: 100, reason: 'An outage' },
    );
    await expect(interrupted).rejects.toThrow('killed');
    await reconcileBilling(jobContext(app));
    await reconcileBilling(jobContext(app));
    expect(await invoiceOf()).toMatchObject({
      ...{ status: 'open', amount_due_cents: 200, credited_cents: 100, credited_early_cents: 100 },
    });
    const tooMuch = creditInvoice(operator, { invoice_id, amount_cents: 201, reason: 'too much' });
    await expect(tooMuch).rejects.toMatchObject({ code: 'credit_too_large', params: { left: 200 } });
    const rest = { invoice_id, amount_cents: 200, reason: 'The rest' };
    await Promise.all([creditInvoice(operator, rest), creditInvoice(operator, rest)]);
    await creditInvoice(operator, rest);
    expect(await app.db.selectFrom('credit_notes').select('id').execute()).toHaveLength(2);
    expect(await invoiceOf()).toMatchObject({
      ...{ status: 'paid', amount_due_cents: 0, credited_cents: 300, credited_early_cents: 300 },
    });
    const credited = (await told()).filter(({ type }) => type === 'invoice.credited');
    expect(credited).toMatchObject([
      { data: { invoice_id, credit_cents: 100, amount_cents: 200, reason: 'An outage', reason_fr: null } },
      { data: { invoice_id, credit_cents: 200, amount_cents: 0, reason: 'The rest' } },
    ]);
  });

  it('is credited after its payment on the next one, and each says so once', async () => {
    const { app, context, operator } = await prepare(TEST_CARDS.works);
    await runMonthEnd(app);
    const rowsOf = async (month: number) => {
      const invoice = (await listInvoices(context)).find(({ billing_month }) => billing_month === month);
      const invoice_id = invoice?.id ?? '';
      const { content } = await exportInvoice(context, 'pdf', { invoice_id, language: 'en-CA' });
      const said = (readPdf(content).pages[0] ?? '').split('\n');
      const from = said.indexOf('Total (CAD)');
      return {
        invoice_id,
        rows: said.slice(
          from,
          said.indexOf('Payable on receipt, by the card on file. All amounts are in Canadian dollars.'),
        ),
      };
    };
    const { invoice_id } = await rowsOf(3);
    app.clock.advance(DAY_MS);
    await creditInvoice(operator, { invoice_id, amount_cents: 100, reason: 'An outage' });
    travelTo(app, Date.UTC(2026, 4, 2));
    await runMonthEnd(app);
    expect((await rowsOf(3)).rows.slice(0, 4)).toEqual(['Total (CAD)', '$3.00', 'Credited', '-$1.00']);
    expect((await rowsOf(4)).rows.slice(0, 6)).toEqual([
      ...['Total (CAD)', '$3.00', 'Credit from earlier invoices', '-$1.00', 'Amount due', '$2.00'],
    ]);
  });

  it('is sent again', async () => {
    const { app, operator, invoiceOf } = await prepare(TEST_CARDS.works);
    await runMonthEnd(app);
    const mails = () => app.db.selectFrom('outgoing_mails').select(['recipient', 'resource_type']).execute();
    expect(await mails()).toHaveLength(1);
    await resendInvoice(operator, { invoice_id: (await invoiceOf())?.id ?? '' });
    expect(await mails()).toMatchObject([{ recipient: 'ada@example.ca' }, { resource_type: 'invoice' }]);
  });

  it('is reserved to operators', async () => {
    const { app, context, invoiceOf } = await prepare();
    await runMonthEnd(app);
    const invoice_id = (await invoiceOf())?.id ?? '';
    const refused = { code: 'operator_required' };
    await expect(voidInvoice(context, { invoice_id })).rejects.toMatchObject(refused);
    await expect(markInvoicePaid(context, { invoice_id })).rejects.toMatchObject(refused);
    await expect(resendInvoice(context, { invoice_id })).rejects.toMatchObject(refused);
    const credit = creditInvoice(context, { invoice_id, amount_cents: 1, reason: 'x' });
    await expect(credit).rejects.toMatchObject(refused);
  });
});

const cardOf = async (app: Awaited<ReturnType<typeof prepare>>['app']) =>
  (await app.db.selectFrom('payment_methods').select('id').executeTakeFirst())?.id;

describe('the reconciliation', () => {
  it('applies payments that the provider did not report', async () => {
    const { app, invoiceOf } = await prepare();
    await runMonthEnd(app);
    const provider = (await app.payments?.open())?.provider;
    const [invoice] = await readProviderInvoices(app);
    await provider?.markPaidElsewhere(invoice?.id ?? '', 'key');
    expect(await reconcileBilling(jobContext(app))).toBe(1);
    expect(await invoiceOf()).toMatchObject({ status: 'paid' });
  });

  it('shows a difference to the operator and overwrites nothing', async () => {
    const { app, invoiceOf } = await prepare(TEST_CARDS.works);
    await runMonthEnd(app);
    await app.db.updateTable('invoices').set({ total_cents: 1 }).execute();
    for (let hour = 0; hour < 24; hour += 1) {
      await reconcileBilling(jobContext(app));
      app.clock.advance(HOUR_MS);
    }
    expect(await invoiceOf()).toMatchObject({ total_cents: 1 });
    const stuck = await app.db.selectFrom('stuck_work').select(['job', 'error']).execute();
    expect(stuck).toMatchObject([{ job: 'reconcile-billing', error: expect.stringContaining('300 cents') }]);
  });

  it('reads an open invoice every hour and a paid one once a day, so that a month does not end for all at once', async () => {
    const read = async (card?: string) => {
      const { app } = await prepare(card);
      await runMonthEnd(app);
      const compared: number[] = [];
      for (let hour = 0; hour < 24; hour += 1) {
        compared.push(await reconcileBilling(jobContext(app)));
        app.clock.advance(HOUR_MS);
      }
      return compared.reduce((sum, count) => sum + count, 0);
    };
    expect(await read()).toBe(24);
    expect(await read(TEST_CARDS.works)).toBe(1);
  });
});

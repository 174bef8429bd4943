import { describe, expect, it, vi } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { readMails } from '#tests/support/app/read-mails.ts';
import { prepareBilledSite } from '#tests/support/billing/billed-site.ts';
import { enterCard, TEST_CARDS } from '#tests/support/billing/billing.ts';
import { jobContext, runMonthEnd, travelTo, withCrashes } from '#tests/support/billing/billing-month.ts';
import { addPaymentMethod } from '../customers/add-payment-method.ts';
import { getCustomer } from '../customers/get-customer.ts';
import { removePaymentMethod } from '../customers/remove-payment-method.ts';
import { setDefaultPaymentMethod } from '../customers/set-default-payment-method.ts';
import { getBillingStatus } from '../get-billing-status.ts';
import { listInvoices } from '../invoices/list-invoices.ts';
import { collectPayments } from './collect-payment.ts';

const APRIL = Date.UTC(2026, 3, 1);

describe('an invoice that cannot be charged', () => {
  const MAIL = { MAIL_URL: 'smtp://127.0.0.1:2525', MAIL_FROM: 'no-reply@example.ca' };
  const attemptsOf = async (app: Awaited<ReturnType<typeof prepareBilledSite>>['app']) =>
    (await app.db.selectFrom('payment_attempts').select(['reason', 'outcome']).orderBy('id').execute()).map(
      ({ reason, outcome }) => `${reason} ${outcome}`,
    );

  it('is attempted on days 0, 3, 5, 7 and 14, people are told each time, and it stays open', async () => {
    const { app, context } = await prepareBilledSite({ card: TEST_CARDS.declinesLater, environment: MAIL });
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
    expect(await getBillingStatus(context)).toMatchObject({ has_payment_problem: true });
    const mails = await app.db.selectFrom('outgoing_mails').select('recipient').execute();
    // The invoice to the contact, then each failure to the contact and to the owner.
    expect(mails).toHaveLength(1 + 5 * 2);
  });

  it('is emailed to members with a link to its page, which asks for a sign-in where the API would only refuse', async () => {
    const { app, context } = await prepareBilledSite({ card: TEST_CARDS.declinesLater, environment: MAIL });
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    const [invoice] = await listInvoices(context);
    const mails = (await readMails(app)).filter(({ subject }) => subject.includes('could not be charged'));
    expect(mails).toHaveLength(2);
    for (const { recipient, text } of mails) {
      const page = `localhost:3000/${context.organization.id}/billing/invoices/${invoice?.id}\n`;
      expect(text.includes(page)).toBe(recipient !== 'ada@example.ca');
      expect(text).not.toContain('/api/');
      expect(text).toContain('This is a sandbox: no money moves.');
    }
  });

  it('is charged immediately when there is another default card', async () => {
    const { app, context } = await prepareBilledSite({ card: TEST_CARDS.declinesLater });
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    const { default_payment_method_id } = await getCustomer(context);
    await addPaymentMethod(context, { setup_intent_id: await enterCard(context) });
    await removePaymentMethod(context, { payment_method_id: default_payment_method_id ?? '' });
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([{ status: 'paid', payment_problem: null }]);
    expect(await getBillingStatus(context)).toMatchObject({ has_payment_problem: false });
    expect(await attemptsOf(app)).toEqual(['month_end declined', 'dunning paid']);
  });

  it('is charged to a card that becomes the default while an attempt is under way', async () => {
    const { app, context } = await prepareBilledSite({ card: TEST_CARDS.declinesLater });
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

  it('is charged once when the response was lost: the same attempt is asked for again', async () => {
    const { app, context } = await prepareBilledSite({ card: TEST_CARDS.declinesLater });
    travelTo(app, APRIL + DAY_MS);
    const crashing = await withCrashes(app, (call) => (call === 'payInvoice' ? 'after' : null));
    await runMonthEnd(crashing);
    expect(await attemptsOf(app)).toEqual(['month_end null']);
    app.clock.advance(11 * 60_000);
    await runMonthEnd(app);
    expect(await attemptsOf(app)).toEqual(['month_end declined']);
    const { body } = await app.db
      .selectFrom('sandbox_objects')
      .select('body')
      .where('kind', '=', 'invoice')
      .executeTakeFirstOrThrow();
    expect(JSON.parse(body)).toMatchObject({ status: 'open', attempt_count: 1 });
    expect(await listInvoices(context)).toMatchObject([{ status: 'open', payment_problem: 'declined' }]);
  });

  it('is not charged again and again by changing the default card to and fro', async () => {
    const { app, context } = await prepareBilledSite({ card: TEST_CARDS.declinesLater });
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
    const { app, context } = await prepareBilledSite({ card: TEST_CARDS.authenticates });
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([
      { status: 'open', payment_problem: 'authentication' },
    ]);
  });

  it('requests a card when there is none', async () => {
    const { app, context } = await prepareBilledSite();
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

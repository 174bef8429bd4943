import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { AppError } from '#server/errors.ts';
import { PaymentError } from '#server/payments/payment-error.ts';
import { prepareBilledMarch } from '#tests/support/billing/billed-march.ts';
import { askSandbox, enterCard, openSandbox, TEST_CARDS } from '#tests/support/billing/billing.ts';
import { jobContext, withCrashes } from '#tests/support/billing/billing-month.ts';
import { readPdf } from '#tests/support/read-pdf.ts';
import { engine } from '#tests/support/runner/engine.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { checkBooks } from '../books/check-books.ts';
import { addPaymentMethod } from '../customers/add-payment-method.ts';
import { setDefaultPaymentMethod } from '../customers/set-default-payment-method.ts';
import { exportInvoice } from '../invoices/export-invoice.ts';
import { markInvoicePaid } from '../invoices/mark-invoice-paid.ts';
import { voidInvoice } from '../invoices/void-invoice.ts';
import { collectPayments } from '../payments/collect-payment.ts';
import { dueRows } from '../payments/due-rules.ts';
import { reconcileBilling } from '../payments/reconcile-billing.ts';
import { creditInvoice, refundInvoice } from './credit-invoice.ts';
import { recordRepayment } from './record-repayment.ts';

/** Orders in which things happen; fewer on PostgreSQL, where each takes three times as long. */
const SEEDS = engine === 'postgres' ? 6 : 16;
const REFUSALS = new Set([
  'credit_too_large',
  'credit_leaves_too_little',
  'credit_refused',
  'refund_too_large',
  'refund_not_rejected',
  'invoice_not_open',
  'invoice_partly_paid',
]);

interface AtProvider {
  invoice: {
    amount_due: number;
    amount_paid: number;
    amount_remaining: number;
    total: number;
    status: string;
  };
  balance: number;
  charges: { amount: number; amount_refunded: number }[];
  noted: { refunds: { amount_refunded: number }[]; amount: number; pre_payment_amount: number }[];
}

/** March is billed to a card that is declined; another card is there. */
async function prepare(card: string) {
  const world = await prepareBilledMarch(TEST_CARDS.declinesLater);
  const { app, context, operator, invoice_id } = world;
  const { payment_methods } = await addPaymentMethod(context, {
    setup_intent_id: await enterCard(context, card),
  });
  const cardId = payment_methods.at(-1)?.id ?? '';
  const { provider_id: payment_method } = await app.db
    .selectFrom('payment_methods')
    .select('provider_id')
    .where('id', '=', cardId)
    .executeTakeFirstOrThrow();
  const { provider_id } = await app.db
    .selectFrom('invoices')
    .select('provider_id')
    .where('id', '=', invoice_id)
    .executeTakeFirstOrThrow();
  const bodies = async (kind: string) => {
    const found = app.db.selectFrom('sandbox_objects').select('body').where('kind', '=', kind);
    return (await found.orderBy('sequence').execute()).map(({ body }) => JSON.parse(body));
  };
  return {
    ...world,
    async payPart(amount: number) {
      const paid = await askSandbox(app, '/v1/payment_intents', {
        ...{ amount: String(amount), currency: 'cad', payment_method, confirm: 'true' },
      });
      const { id } = paid as { id: string };
      await askSandbox(app, `/v1/invoices/${provider_id}/attach_payment`, { payment_intent: id });
    },
    async payRest() {
      await setDefaultPaymentMethod(context, { payment_method_id: cardId });
      await collectPayments(jobContext(app));
    },
    /** A refund at the provider's own console. */
    async refundThere(amount: number) {
      const [payment] = await bodies('invoice_payment');
      if (payment) {
        const { payment_intent } = payment.payment;
        await askSandbox(app, '/v1/refunds', { payment_intent, amount: String(amount) });
      }
    },
    async settle() {
      app.clock.advance(2 * HOUR_MS);
      for (let round = 0; round < 3; round += 1) {
        await world.deliver();
        await reconcileBilling(jobContext(app));
        app.clock.advance(HOUR_MS);
      }
    },
    async atProvider(): Promise<AtProvider> {
      const [[invoice], [customer]] = [await bodies('invoice'), await bodies('customer')];
      return {
        ...{ invoice, balance: customer.balance },
        ...{ charges: await bodies('charge'), noted: await bodies('credit_note') },
      };
    },
    credit: (amount_cents: number | 'all', reason: string, on = operator) =>
      creditInvoice(on, { invoice_id, amount_cents, reason }),
    refund: (amount_cents: number | 'all', reason: string, on = operator) =>
      refundInvoice(on, { invoice_id, amount_cents, reason }),
  };
}
type World = Awaited<ReturnType<typeof prepare>>;

/** What is true of an invoice at any time: nothing was carried to or from it. */
async function expectAddsUp({ shown }: World): Promise<void> {
  const invoice = await shown();
  const {
    total_cents: totalCents,
    starting_balance_cents: startingBalanceCents,
    amount_due_cents: dueCents,
    credited_cents: creditedCents,
    credited_early_cents: creditedEarlyCents,
    credited_to_card_cents: creditedToCardCents,
    refunded_cents: refundedCents,
    rejected_cents: rejectedCents,
    disputed_cents: disputedCents,
    charged_back_cents: chargedBackCents,
    status,
    amount_paid_cents,
    credits,
  } = invoice;
  const paidPartCents = status === 'open' ? amount_paid_cents : 0;
  const rows = dueRows({
    startingBalanceCents,
    ...{ totalCents, dueCents, paidPartCents, creditedCents, creditedEarlyCents, creditedToCardCents },
    ...{ refundedCents, rejectedCents, disputedCents, chargedBackCents },
  });
  expect(rows.filter(({ kind }) => /^(carried|creditIn)/.test(kind))).toEqual([]);
  expect(totalCents - creditedEarlyCents).toBe(dueCents);
  expect(credits.reduce((sum, { amount_cents }) => sum + amount_cents, 0)).toBe(creditedCents);
  expect(creditedCents).toBeLessThanOrEqual(totalCents);
  expect(creditedCents - creditedEarlyCents - creditedToCardCents).toBeGreaterThanOrEqual(0);
  expect(amount_paid_cents).toBeLessThanOrEqual(dueCents);
  expect(creditedToCardCents).toBeLessThanOrEqual(amount_paid_cents);
}

/** What is true once the program and the provider have told each other everything. */
async function expectAgrees(world: World): Promise<void> {
  await expectAddsUp(world);
  expect((await checkBooks(world.operator)).differences).toEqual([]);
  const invoice = await world.shown();
  const { invoice: theirs, balance, charges, noted } = await world.atProvider();
  expect(theirs).toMatchObject({
    status: invoice.status,
    amount_due: invoice.amount_due_cents,
    amount_paid: invoice.amount_paid_cents,
  });
  const sum = (amounts: number[]) => amounts.reduce((all, amount) => all + amount, 0);
  expect(sum(noted.map(({ amount }) => amount))).toBe(invoice.credited_cents);
  expect(sum(noted.map((note) => note.pre_payment_amount))).toBe(invoice.credited_early_cents);
  const { credited_cents, credited_early_cents, credited_to_card_cents } = invoice;
  expect(balance + credited_cents - credited_early_cents - credited_to_card_cents).toBe(0);
  for (const charge of charges) expect(charge.amount_refunded).toBeLessThanOrEqual(charge.amount);
  const repaid = invoice.reversals.filter(({ repaid_at }) => repaid_at !== null);
  const given = sum(charges.map(({ amount_refunded }) => amount_refunded));
  expect(invoice.refunded_cents - sum(repaid.map(({ amount_cents }) => amount_cents))).toBe(given);
  // Each refund note is tied to all of its refunds.
  const notedRefunds = noted.flatMap(({ refunds }) => refunds.map(({ amount_refunded }) => amount_refunded));
  expect(sum(notedRefunds)).toBe(credited_to_card_cents);
}

/** Does one thing that may happen to an invoice, whether or not it is allowed at this moment. */
async function doSomething(world: World, random: ReturnType<typeof seededRandom>, step: number) {
  const { app, operator, invoice_id } = world;
  const amount = () => (random.below(4) === 0 ? 'all' : 1 + random.below(200));
  const reason = `reason ${step}`;
  const crashing = async () => {
    const crash = random.below(2) === 0 ? 'before' : 'after';
    return {
      ...operator,
      app: await withCrashes(app, (call) => (call === 'createCreditNote' ? crash : null)),
    };
  };
  const things = [
    () => world.credit(amount(), reason),
    () => world.credit(amount(), reason),
    () => world.refund(amount(), reason),
    () => world.refund(amount(), reason),
    async () => world.credit(amount(), reason, await crashing()),
    async () => world.refund(amount(), reason, await crashing()),
    () => world.payPart(50 + random.below(150)),
    () => world.payPart(50 + random.below(150)),
    () => world.payRest(),
    () => world.refundThere(1 + random.below(100)),
    () => recordRepayment(operator, { invoice_id }),
    () => (random.below(4) === 0 ? voidInvoice(operator, { invoice_id }) : null),
    () => (random.below(4) === 0 ? markInvoicePaid(operator, { invoice_id }) : null),
    () => world.deliver(),
    () => world.settle(),
    // A clock can go back as well.
    () => app.clock.advance(random.below(5) === 0 ? -HOUR_MS : random.below(2 * DAY_MS)),
    () =>
      Promise.allSettled([
        world.payRest(),
        world.credit(amount(), reason),
        world.credit(amount(), `${reason} b`),
      ]),
  ];
  await Promise.resolve(things[random.below(things.length)]?.()).catch((error: unknown) => {
    const isExpected =
      (error instanceof AppError && REFUSALS.has(error.code)) ||
      error instanceof PaymentError ||
      /killed|sandbox refused/.test(String(error));
    if (!isExpected) throw error;
  });
}

describe('an invoice that was paid in part', () => {
  it('is credited only what is left to pay of it, and is then paid', async () => {
    const world = await prepare(TEST_CARDS.works);
    const { operator, invoice_id, shown, context } = world;
    await world.payPart(100);
    await world.settle();
    expect(await shown()).toMatchObject({ status: 'open', amount_due_cents: 345, amount_paid_cents: 100 });
    const { content } = await exportInvoice(context, 'csv', { invoice_id, language: 'fr-CA' });
    expect(String(content)).toContain('Reste à payer,2026-03,,,,2.45');
    await expect(voidInvoice(operator, { invoice_id })).rejects.toMatchObject({
      code: 'invoice_partly_paid',
    });
    const tooMuch = {
      code: 'credit_too_large',
      params: { left: 245 },
      message: expect.stringContaining('$2.45'),
    };
    await expect(world.credit(246, 'An outage')).rejects.toMatchObject(tooMuch);
    expect(await world.credit('all', 'An outage')).toMatchObject({ status: 'paid', amount_due_cents: 100 });
    await expectAddsUp(world);
    await world.refund('all', 'An outage');
    await world.settle();
    await expectAgrees(world);
    expect(await shown()).toMatchObject({
      credited_cents: 345,
      refunded_cents: 100,
      payment_state: 'refunded',
    });
  });

  it('can be refunded what a card has paid of it, and no more, once the rest was paid elsewhere', async () => {
    const world = await prepare(TEST_CARDS.works);
    const { operator, invoice_id } = world;
    await world.payPart(100);
    await world.settle();
    await markInvoicePaid(operator, { invoice_id });
    const tooMuch = (left: number) => ({ code: 'refund_too_large', params: { left } });
    await expect(world.refund(101, 'An outage')).rejects.toMatchObject(tooMuch(100));
    await world.refund('all', 'An outage');
    await expect(world.refund(1, 'Another')).rejects.toMatchObject(tooMuch(0));
    await world.settle();
    await expectAgrees(world);
    expect(await world.shown()).toMatchObject({ credited_to_card_cents: 100, refunded_cents: 100 });
  });

  it('is credited nothing when a payment at the provider is not heard of yet', async () => {
    const world = await prepare(TEST_CARDS.works);
    await world.payPart(100);
    await expect(world.credit('all', 'An outage')).rejects.toMatchObject({ code: 'credit_refused' });
    await expectAgrees(world);
    expect(await world.shown()).toMatchObject({ credited_cents: 0, amount_paid_cents: 100 });
  });
});

describe('an invoice that several payments have paid', () => {
  async function prepareTwice(card: string) {
    const world = await prepare(card);
    await world.payPart(100);
    await world.payRest();
    await world.settle();
    expect(await world.shown()).toMatchObject({ status: 'paid', amount_paid_cents: 345 });
    return world;
  }

  it('is refunded to each of them, the first one first, and never more than it paid', async () => {
    const world = await prepareTwice(TEST_CARDS.works);
    const refunded = async () =>
      (await world.atProvider()).charges.map(({ amount_refunded }) => amount_refunded);
    await world.refund(60, 'An outage');
    expect(await refunded()).toEqual([60, 0]);
    await world.refund(80, 'Another outage');
    expect(await refunded()).toEqual([100, 40]);
    await expect(world.refund(206, 'Too much')).rejects.toMatchObject({ params: { left: 205 } });
    await world.refund('all', 'The rest');
    expect(await refunded()).toEqual([100, 245]);
    await world.settle();
    await expectAgrees(world);
    const { credits, payment_state } = await world.shown();
    expect(payment_state).toBe('refunded');
    expect(credits.map(({ refund_state }) => refund_state)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  it('is refunded once, also when the response was lost between two of them', async () => {
    const world = await prepareTwice(TEST_CARDS.works);
    const { sandbox } = await openSandbox(world.app);
    sandbox.faults.add({ kind: 'server_error', on: /POST .*credit_notes/, times: 3 });
    await expect(world.refund(200, 'An outage')).rejects.toMatchObject({ code: 'payments_unavailable' });
    await world.refund(200, 'An outage');
    await world.settle();
    await expectAgrees(world);
    expect(await world.shown()).toMatchObject({ refunded_cents: 200, credits: [{ amount_cents: 200 }] });
  });

  it('has a rejected refund when any of them is', async () => {
    const world = await prepareTwice(TEST_CARDS.rejectsRefunds);
    await world.refund('all', 'An outage');
    await world.settle();
    expect(await world.shown()).toMatchObject({
      ...{ rejected_cents: 345, refunded_cents: 0 },
      credits: [{ refund_state: 'rejected' }],
    });
  });
});

describe('credits, payments and refunds of an invoice', () => {
  const CARDS = [TEST_CARDS.works, TEST_CARDS.rejectsRefunds, TEST_CARDS.delaysRefunds];

  it.each(Array.from({ length: SEEDS }, (_, index) => index + 1))(
    'add up on every view, whatever happens and in whatever order (seed %i)',
    async (seed) => {
      const random = seededRandom(seed);
      const world = await prepare(CARDS[seed % CARDS.length] ?? TEST_CARDS.works);
      for (let step = 0; step < 14; step += 1) {
        await doSomething(world, random, step);
        await expectAddsUp(world);
      }
      await world.settle();
      await expectAgrees(world);
      const { context, invoice_id } = world;
      const files = await Promise.all(
        (['csv', 'pdf'] as const).map((format) =>
          exportInvoice(context, format, { invoice_id, language: 'en-CA' }),
        ),
      );
      const [csv = '', pdf = ''] = await Promise.all(
        files.map(async ({ content }, index) =>
          index === 0 ? String(content) : (await readPdf(content)).pages.join(' '),
        ),
      );
      for (const text of [csv, pdf]) expect(text).not.toMatch(/Carried over|Credit from earlier|Too little/);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { AppError } from '#server/errors.ts';
import { Circuit } from '#server/outgoing/circuit.ts';
import { PaymentError } from '#server/payments/payment-error.ts';
import { SANDBOX_KEYS } from '#server/payments/sandbox/sandbox-keys.ts';
import { createStripeProvider } from '#server/payments/stripe-provider.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { prepareBilledSite } from '#tests/support/billing/billed-site.ts';
import { askSandbox, enterCard, openSandbox, TEST_CARDS } from '#tests/support/billing/billing.ts';
import { insertSite, jobContext, runMonthEnd, travelTo } from '#tests/support/billing/billing-month.ts';
import { withDeathAt } from '#tests/support/billing/death-at-step.ts';
import { expectBooks } from '#tests/support/billing/expect-books.ts';
import { engine } from '#tests/support/runner/engine.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { creditInvoice, refundInvoice } from '../credits/credit-invoice.ts';
import { recordRepayment } from '../credits/record-repayment.ts';
import { addPaymentMethod } from '../customers/add-payment-method.ts';
import { setDefaultPaymentMethod } from '../customers/set-default-payment-method.ts';
import { markInvoicePaid } from '../invoices/mark-invoice-paid.ts';
import { voidInvoice } from '../invoices/void-invoice.ts';
import { deliverSandboxEvents } from '../payments/deliver-sandbox-events.ts';
import { handleWebhooks } from '../payments/handle-webhooks.ts';
import { reconcileBilling } from '../payments/reconcile-billing.ts';

const CARDS = [
  TEST_CARDS.works,
  TEST_CARDS.works,
  TEST_CARDS.declinesLater,
  TEST_CARDS.authenticates,
  TEST_CARDS.rejectsRefunds,
  TEST_CARDS.delaysRefunds,
];
const FAULTS = ['unreachable', 'server_error', 'rate_limited', 'lost', 'nonsense'] as const;
const MONTHS = 7;
const SEEDS = engine === 'postgres' ? 3 : 9;
const PATIENCE_MS = 5 * 60_000;

async function prepare(seed: number) {
  const world = await prepareBilledSite();
  const { sandbox } = await openSandbox(world.app);
  // A circuit waits on a clock that tests do not move.
  const outgoing = { ...world.app.outgoing, circuit: () => new Circuit(() => false) };
  const settings = { mode: 'sandbox' as const, ...SANDBOX_KEYS };
  const provider = createStripeProvider(settings, { ...world.app, outgoing, retries: 0 }, sandbox.fetch);
  const payments = { ...settings, open: async () => ({ provider, sandbox }) };
  const app = { ...world.app, payments };
  const context = { ...world.context, app };
  const random = seededRandom(seed);
  const pick = <Each>(list: readonly Each[]): Each | undefined => list[random.below(list.length)];
  const reasons = ['An outage', 'Goodwill'];
  const anyInvoice = async () => {
    const rows = await app.db.selectFrom('invoices').select('id').orderBy('id').execute();
    return pick(rows)?.id ?? 'none';
  };
  const amount = () => (random.below(4) === 0 ? 'all' : 1 + random.below(300)) as 'all' | number;
  const commands = [creditInvoice, creditInvoice, refundInvoice, refundInvoice];
  /** Sometimes the process is killed on the way. */
  const operator = async () =>
    operatorContext(random.below(3) === 0 ? (await withDeathAt(app, random.below(40))).app : app);
  const actions: (() => Promise<unknown>)[] = [
    ...commands.map((command) => async () => {
      const note = { amount_cents: amount(), reason: pick(reasons) ?? '' };
      return command(await operator(), { invoice_id: await anyInvoice(), ...note });
    }),
    async () => recordRepayment(await operator(), { invoice_id: await anyInvoice() }),
    async () => random.below(3) === 0 && voidInvoice(await operator(), { invoice_id: await anyInvoice() }),
    async () =>
      random.below(3) === 0 && markInvoicePaid(await operator(), { invoice_id: await anyInvoice() }),
    async () => {
      const setup_intent_id = await enterCard(context, pick(CARDS));
      const { payment_methods } = await addPaymentMethod(context, { setup_intent_id });
      return setDefaultPaymentMethod(context, { payment_method_id: payment_methods.at(-1)?.id ?? '' });
    },
    async () => {
      const payments = app.db.selectFrom('sandbox_objects').select('parent').select('body');
      const payment = pick(
        await payments.where('kind', '=', 'invoice_payment').orderBy('sequence').execute(),
      );
      const payment_intent = JSON.parse(payment?.body ?? '{}').payment?.payment_intent ?? '';
      return askSandbox(app, '/v1/refunds', { payment_intent, amount: String(1 + random.below(100)) });
    },
    async () => sandbox.faults.add({ kind: pick(FAULTS) ?? 'lost', times: 1 + random.below(4) }),
    async () => app.clock.advance(random.below(2 * DAY_MS)),
    () => Promise.allSettled([runMonthEnd(app), runMonthEnd(app)]),
    () => Promise.allSettled([handleWebhooks(jobContext(app)), handleWebhooks(jobContext(app))]),
    () => deliverSandboxEvents(jobContext(app)),
    () => reconcileBilling(jobContext(app)),
  ];
  return {
    ...{ app, random, sandbox },
    async act() {
      await pick(actions)?.().catch((error: unknown) => {
        const isExpected = error instanceof AppError || error instanceof PaymentError;
        if (!isExpected && !/killed|sandbox refused|fetch failed/.test(String(error))) throw error;
      });
    },
    /** Some months have a site, others less than a card can be charged with, or nothing. */
    async use(at: number) {
      await app.db
        .updateTable('resource_lifetimes')
        .set({ ended_at: at })
        .where('ended_at', 'is', null)
        .execute();
      const kind = random.below(3);
      if (kind === 0) await insertSite(app, context.organization.id, at);
      await world.use(at + DAY_MS, kind === 1 ? random.below(4) * 2 ** 30 : random.below(2 ** 38));
    },
  };
}

describe('the books of months in which people and the provider do anything', { timeout: PATIENCE_MS }, () => {
  it.each(Array.from({ length: SEEDS }, (_, index) => index + 1))('add up (seed %i)', async (seed) => {
    const { app, random, sandbox, act, use } = await prepare(seed);
    sandbox.faults.deliveries = { isDuplicated: random.below(2) === 0, isReversed: random.below(2) === 0 };
    for (let month = 0; month < MONTHS; month += 1) {
      const begins = Date.UTC(2026, 3 + month, 1);
      travelTo(app, begins);
      await use(begins);
      travelTo(app, Math.max(app.clock.now(), begins + DAY_MS));
      for (let step = 0; step < 10; step += 1) await act();
    }
    sandbox.faults.clear();
    travelTo(app, Date.UTC(2026, 3 + MONTHS, 2));
    for (let round = 0; round < 4; round += 1) {
      await runMonthEnd(app);
      while ((await deliverSandboxEvents(jobContext(app))) > 0) await handleWebhooks(jobContext(app));
      await reconcileBilling(jobContext(app));
      app.clock.advance(7 * HOUR_MS);
    }
    expect((await expectBooks(app)).invoices).toBeGreaterThan(MONTHS / 2);
  });
});

import { describe, expect, it } from 'vitest';
import type { RequestContext } from '#server/context.ts';
import { HOUR_MS } from '#server/durations.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { prepareBilledSite } from '#tests/support/billing/billed-site.ts';
import { TEST_CARDS } from '#tests/support/billing/billing.ts';
import { jobContext, runMonthEnd, travelTo } from '#tests/support/billing/billing-month.ts';
import { withDeathAt } from '#tests/support/billing/death-at-step.ts';
import { expectBooks } from '#tests/support/billing/expect-books.ts';
import { engine } from '#tests/support/runner/engine.ts';
import { creditInvoice, refundInvoice } from '../credits/credit-invoice.ts';
import { getInvoice } from '../invoices/get-invoice.ts';
import { listInvoices } from '../invoices/list-invoices.ts';
import { markInvoicePaid } from '../invoices/mark-invoice-paid.ts';
import type { Invoice } from '../invoices/schema.ts';
import { voidInvoice } from '../invoices/void-invoice.ts';
import { deliverSandboxEvents } from '../payments/deliver-sandbox-events.ts';
import { handleWebhooks } from '../payments/handle-webhooks.ts';
import { reconcileBilling } from '../payments/reconcile-billing.ts';

interface Command {
  name: string;
  card: string;
  run(operator: RequestContext, invoice_id: string): Promise<unknown>;
  /** What the invoice shows in the end. */
  expected: Partial<Invoice>;
}

/** On PostgreSQL, where each step takes ten times as long, every fifth one. */
const STRIDE = engine === 'postgres' ? 5 : 1;
const PATIENCE_MS = 5 * 60_000;

const PART = { amount_cents: 100, reason: 'An outage' };
const COMMANDS: Command[] = [
  {
    name: 'credits a part of a paid invoice',
    card: TEST_CARDS.works,
    run: (operator, invoice_id) => creditInvoice(operator, { invoice_id, ...PART }),
    expected: { status: 'paid', credited_cents: 100, credited_early_cents: 0, refunded_cents: 0 },
  },
  {
    name: 'credits a part of an open invoice',
    card: TEST_CARDS.declinesLater,
    run: (operator, invoice_id) => creditInvoice(operator, { invoice_id, ...PART }),
    expected: { status: 'open', credited_cents: 100, credited_early_cents: 100 },
  },
  {
    name: 'refunds a part of a paid invoice',
    card: TEST_CARDS.works,
    run: (operator, invoice_id) => refundInvoice(operator, { invoice_id, ...PART }),
    expected: { status: 'paid', credited_cents: 100, credited_to_card_cents: 100, refunded_cents: 100 },
  },
  {
    name: 'voids an open invoice',
    card: TEST_CARDS.declinesLater,
    run: (operator, invoice_id) => voidInvoice(operator, { invoice_id }),
    expected: { status: 'void', amount_paid_cents: 0 },
  },
  {
    name: 'records a payment by other means',
    card: TEST_CARDS.declinesLater,
    run: (operator, invoice_id) => markInvoicePaid(operator, { invoice_id }),
    expected: { status: 'paid' },
  },
];

/** Every month is billed 3 dollars and 45 cents. */
async function prepare(card: string) {
  const world = await prepareBilledSite({ card });
  const { app, context } = world;
  const goToMonth = (number: number) => travelTo(app, Date.UTC(2026, 3 + number, 2));
  return {
    ...world,
    goToMonth,
    /** What jobs do in the hours after a process was killed. */
    async settle() {
      for (let round = 0; round < 2; round += 1) {
        app.clock.advance(2 * HOUR_MS);
        await runMonthEnd(app);
        while ((await deliverSandboxEvents(jobContext(app))) > 0) await handleWebhooks(jobContext(app));
        await reconcileBilling(jobContext(app));
      }
    },
    async newest() {
      const [{ id } = { id: '' }] = await listInvoices(context);
      return getInvoice(context, { invoice_id: id });
    },
  };
}

describe('a process that is killed before any of its steps', { timeout: PATIENCE_MS }, () => {
  it('bills each month once, whichever step of its end it was', async () => {
    const { app, goToMonth, settle, newest } = await prepare(TEST_CARDS.works);
    let [month, step] = [0, 0];
    for (let isFinished = false; !isFinished; [month, step] = [month + 1, step + STRIDE]) {
      goToMonth(month);
      const mortal = await withDeathAt(app, step);
      await runMonthEnd(mortal.app);
      isFinished = !mortal.isDead();
      await settle();
      const billed = { billing_month: ((month + 2) % 12) + 1, status: 'paid', total_cents: 345 };
      expect(await newest()).toMatchObject(billed);
    }
    // It was killed after each of them, too.
    expect(step).toBeGreaterThan(30);
    expect(await expectBooks(app)).toMatchObject({ invoices: month, paid_cents: month * 345, open_cents: 0 });
  });

  it.each(COMMANDS)('$name once, whether or not the command is repeated', async (command) => {
    const { app, goToMonth, settle, newest } = await prepare(command.card);
    let [month, step] = [0, 0];
    for (let isFinished = false; !isFinished; [month, step] = [month + 1, step + STRIDE]) {
      goToMonth(month);
      await runMonthEnd(app);
      const { id } = await newest();
      const mortal = await withDeathAt(app, step);
      await command.run(operatorContext(mortal.app), id).catch(() => 0);
      isFinished = !mortal.isDead();
      if (month % 2 === 0) await settle();
      await command.run(operatorContext(app), id).catch(() => 0);
      await settle();
      const invoice = await newest();
      expect([step, invoice]).toMatchObject([step, command.expected]);
      if (invoice.status === 'open') await markInvoicePaid(operatorContext(app), { invoice_id: id });
    }
    expect(step).toBeGreaterThan(5);
    await expectBooks(app);
  });
});

import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import type { TestApp } from '#tests/support/app/test-app.ts';
import { prepareBilledMarch } from '#tests/support/billing/billed-march.ts';
import { askSandbox, TEST_CARDS } from '#tests/support/billing/billing.ts';
import { jobContext } from '#tests/support/billing/billing-month.ts';
import { readPdf } from '#tests/support/read-pdf.ts';
import { listenToAll } from '#tests/support/webhooks/listen-to.ts';
import { listStuckWork } from '../../stuck-work/list-stuck-work.ts';
import { refundInvoice } from '../credits/credit-invoice.ts';
import { recordRepayment } from '../credits/record-repayment.ts';
import { getBillingState } from '../get-billing-state.ts';
import { exportInvoice } from '../invoices/export-invoice.ts';
import { reconcileBilling } from './reconcile-billing.ts';

const MINUTE_MS = 60_000;

/** March is billed, and a day has passed. */
async function prepare(card: string) {
  const world = await prepareBilledMarch(card);
  const { app, operator, invoice_id, mailsOf } = world;
  app.clock.advance(DAY_MS);
  const refund = (amount_cents: number | 'all') =>
    refundInvoice(operator, { invoice_id, amount_cents, reason: 'An outage' });
  const stuck = async () => (await listStuckWork(operator)).filter(({ job }) => job === 'rejected-refunds');
  const subjects = async () => (await mailsOf()).map(({ subject }) => subject);
  const repay = () => recordRepayment(operator, { invoice_id });
  return { ...world, refund, repay, stuck, subjects };
}

describe('a refund that the bank of the card rejects later', () => {
  it('is no longer shown as refunded, and people, programs and the operator are told once', async () => {
    const { app, context, refund, deliver, shown, stuck, subjects } = await prepare(
      TEST_CARDS.rejectsRefunds,
    );
    const told = await listenToAll(context);
    await refund('all');
    await deliver();
    expect(await shown()).toMatchObject({
      ...{ payment_state: 'refunded', refunded_cents: 345, rejected_cents: 0 },
      credits: [{ kind: 'refund', refund_state: 'succeeded' }],
    });
    app.clock.advance(2 * MINUTE_MS);
    await deliver();
    await deliver();
    expect(await shown()).toMatchObject({
      // What was credited is credited: only its way to the payer has failed.
      ...{ status: 'paid', credited_cents: 345, credited_to_card_cents: 345 },
      ...{ payment_state: 'refund_rejected', refunded_cents: 0, rejected_cents: 345 },
      credits: [{ kind: 'refund', refund_state: 'rejected' }],
      reversals: [{ status: 'failed', reason: 'expired_or_canceled_card', repaid_at: null }],
    });
    await reconcileBilling(jobContext(app));
    await reconcileBilling(jobContext(app));
    expect(await stuck()).toMatchObject([
      { attempts: 1, error: expect.stringMatching(/refund of \$3\.45 .*expired.*billing repaid/) },
    ]);
    expect(await getBillingState(app)).toMatchObject({ rejected_refunds: 1 });
    expect(await subjects()).toEqual([
      'Refund of $3.45 for March 2026 · Portage',
      'Your bank rejected the refund of $3.45 for March 2026 · Portage',
    ]);
    expect(await told()).toMatchObject([
      { type: 'invoice.refunded', data: { status: 'succeeded', reversed_cents: 345 } },
      { type: 'invoice.refunded', data: { status: 'failed', reversed_cents: 345 } },
    ]);
  });

  it('is found without its events', async () => {
    const { app, refund, shown, stuck } = await prepare(TEST_CARDS.rejectsRefunds);
    await refund(100);
    app.clock.advance(HOUR_MS);
    await reconcileBilling(jobContext(app));
    expect(await shown()).toMatchObject({ payment_state: 'refund_rejected', rejected_cents: 100 });
    expect(await stuck()).toHaveLength(1);
  });

  it('counts as refunded once the operator has given the money back by other means', async () => {
    const { app, refund, repay, shown, stuck } = await prepare(TEST_CARDS.rejectsRefunds);
    await refund(100);
    await expect(repay()).rejects.toMatchObject({ code: 'refund_not_rejected' });
    app.clock.advance(HOUR_MS);
    await reconcileBilling(jobContext(app));
    await Promise.all([repay(), repay()]);
    await repay();
    expect(await shown()).toMatchObject({
      ...{ payment_state: 'partly_refunded', refunded_cents: 100, rejected_cents: 0 },
      credits: [{ refund_state: 'repaid' }],
      reversals: [{ status: 'failed', repaid_at: expect.any(String) }],
    });
    expect(await stuck()).toEqual([]);
    expect(await getBillingState(app)).toMatchObject({ rejected_refunds: 0 });
    await reconcileBilling(jobContext(app));
    expect(await stuck()).toEqual([]);
    const audited = await app.db
      .selectFrom('audit_events')
      .select('action')
      .where('action', 'like', 'invoice.re%')
      .orderBy('id')
      .execute();
    expect(audited.map(({ action }) => action)).toEqual([
      'invoice.refund',
      'invoice.refund_rejected',
      'invoice.repaid',
    ]);
    // What was given back is not given back again.
    await expect(refund(246)).rejects.toMatchObject({ code: 'refund_too_large', params: { left: 245 } });
  });

  it('is in the files of the invoice in both languages', async () => {
    const { app, context, invoice_id, refund, repay } = await prepare(TEST_CARDS.rejectsRefunds);
    await refund(100);
    app.clock.advance(HOUR_MS);
    await reconcileBilling(jobContext(app));
    const file = async (format: 'pdf' | 'csv', language: 'en-CA' | 'fr-CA') =>
      (await exportInvoice(context, format, { invoice_id, language })).content;
    const pdf = async (language: 'en-CA' | 'fr-CA') => readPdf(await file('pdf', language)).pages.join(' ');
    expect(await pdf('en-CA')).toContain('rejected by the bank of the card: still owed to you');
    expect(await pdf('fr-CA')).toContain('refusé par la banque de la carte');
    expect(String(await file('csv', 'en-CA'))).toContain('still owed to you",2026-03,,,,-1.00');
    await repay();
    expect(await pdf('en-CA')).toContain('given back by other means');
    expect(String(await file('csv', 'en-CA'))).toContain('Refunded,2026-03,,,,-1.00');
  });

  it('that was made at the provider is followed as well, and has no credit note', async () => {
    const { app, shown, repay } = await prepare(TEST_CARDS.rejectsRefunds);
    const payment = await app.db
      .selectFrom('sandbox_objects')
      .select('id')
      .where('kind', '=', 'payment_intent')
      .executeTakeFirstOrThrow();
    await askSandbox(app, '/v1/refunds', { payment_intent: payment.id, amount: '45' });
    app.clock.advance(HOUR_MS);
    await reconcileBilling(jobContext(app));
    expect(await shown()).toMatchObject({
      credits: [],
      rejected_cents: 45,
      payment_state: 'refund_rejected',
    });
    await repay();
    expect(await shown()).toMatchObject({ refunded_cents: 45, rejected_cents: 0 });
  });

  it('counts once when it is repeated at the provider, and the rest by other means', async () => {
    const { app, refund, repay, shown } = await prepare(TEST_CARDS.rejectsRefunds);
    await refund(100);
    app.clock.advance(HOUR_MS);
    await reconcileBilling(jobContext(app));
    await refundThere(app, 60, { isRejected: false });
    expect(await repay()).toMatchObject({ repaid_cents: 40 });
    const settled = { refunded_cents: 100, rejected_cents: 0, credits: [{ refund_state: 'repaid' }] };
    expect(await shown()).toMatchObject({
      ...settled,
      reversals: [
        { status: 'failed', amount_cents: 100, repeated_cents: 60 },
        { status: 'succeeded', amount_cents: 60, repeated_cents: 0 },
      ],
    });
    expect(await repay()).toMatchObject({ repaid_cents: 40 });
    expect(await shown()).toMatchObject(settled);
    // A refund that is made later is another one.
    await refundThere(app, 30, { isRejected: false });
    expect(await shown()).toMatchObject({ refunded_cents: 130 });
  });

  it('never counts more than was paid, when it is repeated by a credit note', async () => {
    const { app, refund, repay, shown } = await prepare(TEST_CARDS.rejectsRefunds);
    await refundThere(app, 100, { isRejected: true });
    await refund('all');
    app.clock.advance(HOUR_MS);
    await reconcileBilling(jobContext(app));
    expect(await shown()).toMatchObject({ rejected_cents: 445 });
    expect(await repay()).toMatchObject({ repaid_cents: 345 });
    expect(await shown()).toMatchObject({ refunded_cents: 345, payment_state: 'refunded' });
  });

  it('counts once when its repeat is rejected too', async () => {
    const { app, refund, repay, shown } = await prepare(TEST_CARDS.rejectsRefunds);
    await refund(100);
    app.clock.advance(HOUR_MS);
    await reconcileBilling(jobContext(app));
    await refundThere(app, 100, { isRejected: true });
    expect(await repay()).toMatchObject({ repaid_cents: 100 });
    expect(await shown()).toMatchObject({ refunded_cents: 100, rejected_cents: 0 });
  });
});

/** Refunds a part of the payment at the provider's own console. */
async function refundThere(app: TestApp, amount: number, words: { isRejected: boolean }): Promise<void> {
  const objects = app.db.selectFrom('sandbox_objects').selectAll();
  if (!words.isRejected) {
    // The bank accepts refunds again.
    const card = await objects.where('kind', '=', 'payment_method').executeTakeFirstOrThrow();
    const body = JSON.stringify({
      ...JSON.parse(card.body),
      card: { ...JSON.parse(card.body).card, fingerprint: 'works' },
    });
    await app.db.updateTable('sandbox_objects').set({ body }).where('id', '=', card.id).execute();
  }
  const payment = await objects.where('kind', '=', 'payment_intent').executeTakeFirstOrThrow();
  await askSandbox(app, '/v1/refunds', { payment_intent: payment.id, amount: String(amount) });
  app.clock.advance(HOUR_MS);
  await reconcileBilling(jobContext(app));
}

describe('a refund that takes the bank of the card a while', () => {
  it('is shown as on its way, and is told once it has arrived', async () => {
    const { app, refund, deliver, shown, subjects } = await prepare(TEST_CARDS.delaysRefunds);
    await refund(100);
    await deliver();
    expect(await shown()).toMatchObject({
      ...{ payment_state: null, refunded_cents: 0, credited_to_card_cents: 100 },
      credits: [{ refund_state: 'pending' }],
    });
    expect(await subjects()).toEqual([]);
    app.clock.advance(2 * MINUTE_MS);
    await deliver();
    expect(await shown()).toMatchObject({
      ...{ payment_state: 'partly_refunded', refunded_cents: 100 },
      credits: [{ refund_state: 'succeeded' }],
    });
    expect(await subjects()).toEqual(['Refund of $1.00 for March 2026 · Portage']);
  });
});

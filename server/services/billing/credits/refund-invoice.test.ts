import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { prepareBilledMarch } from '#tests/support/billing/billed-march.ts';
import { askSandbox, TEST_CARDS } from '#tests/support/billing/billing.ts';
import {
  insertSite,
  jobContext,
  runMonthEnd,
  travelTo,
  withCrashes,
} from '#tests/support/billing/billing-month.ts';
import { readPdf } from '#tests/support/read-pdf.ts';
import { listenToAll } from '#tests/support/webhooks/listen-to.ts';
import { exportInvoice } from '../invoices/export-invoice.ts';
import { listInvoices } from '../invoices/list-invoices.ts';
import { markInvoicePaid } from '../invoices/mark-invoice-paid.ts';
import { deliverSandboxEvents } from '../payments/deliver-sandbox-events.ts';
import { handleWebhooks } from '../payments/handle-webhooks.ts';
import { reconcileBilling } from '../payments/reconcile-billing.ts';
import { creditInvoice, refundInvoice } from './credit-invoice.ts';

/** March is billed, and a day has passed. */
async function prepare(card = TEST_CARDS.works) {
  const world = await prepareBilledMarch(card);
  const { app, operator, invoice_id } = world;
  app.clock.advance(DAY_MS);
  const refund = (amount_cents: number | 'all', reason = 'An outage', on = operator) =>
    refundInvoice(on, { invoice_id, amount_cents, reason, reason_fr: 'Une panne' });
  const countOf = async (kind: string) =>
    (await app.db.selectFrom('sandbox_objects').select('id').where('kind', '=', kind).execute()).length;
  return { ...world, refund, countOf };
}

describe('a refund by the operator', () => {
  it('gives money back to the card, with its part of the taxes, and says why', async () => {
    const { refund, shown, mailsOf } = await prepare();
    expect(await refund(100)).toMatchObject({ status: 'paid', credited_cents: 100 });
    expect(await shown()).toMatchObject({
      ...{ status: 'paid', payment_state: 'partly_refunded', amount_due_cents: 345 },
      ...{ credited_cents: 100, credited_early_cents: 0, credited_to_card_cents: 100, refunded_cents: 100 },
      credits: [
        {
          ...{ kind: 'refund', amount_cents: 100, reason: 'An outage', reason_fr: 'Une panne' },
          tax_details: [
            { tax_name: 'GST', tax_rate: 5, amount: 4 },
            { tax_name: 'QST', tax_rate: 9.975, amount: 9 },
          ],
        },
      ],
      reversals: [{ kind: 'refund', status: 'succeeded', amount_cents: 100 }],
    });
    const [mail, ...others] = await mailsOf();
    expect(mail?.subject).toBe('Refund of $1.00 for March 2026 · Portage');
    expect(mail?.text).toContain('Reason: An outage');
    expect(others).toEqual([]);
  });

  it('of all that is left ends in exactly the taxes of the invoice, and leaves the next one as it is', async () => {
    const { app, context, refund, shown } = await prepare();
    await refund(100);
    await refund('all');
    const { credits, ...invoice } = await shown();
    expect(invoice).toMatchObject({ payment_state: 'refunded', credited_cents: 345, refunded_cents: 345 });
    const taxes = credits.map(({ tax_details }) => tax_details.map(({ amount }) => amount));
    expect(taxes).toEqual([
      [4, 9],
      [11, 21],
    ]);
    await insertSite(app, context.organization.id, app.clock.now());
    travelTo(app, Date.UTC(2026, 4, 2));
    await runMonthEnd(app);
    const [april] = await listInvoices(context);
    expect(april).toMatchObject({ billing_month: 4, amount_due_cents: april?.total_cents });
  });

  it('is one refund, however often the same is requested, at once or after the provider was away', async () => {
    const { app, context, operator, refund, shown, countOf, mailsOf } = await prepare();
    const told = await listenToAll(context);
    for (const crash of ['before', 'after'] as const) {
      const away = await withCrashes(app, (call) => (call === 'createCreditNote' ? crash : null));
      await expect(refund('all', 'An outage', { ...operator, app: away })).rejects.toThrow('killed');
    }
    await Promise.all([refund('all'), refund('all')]);
    await reconcileBilling(jobContext(app));
    await deliverSandboxEvents(jobContext(app));
    await handleWebhooks(jobContext(app));
    await refund('all');
    await refund(345);
    expect(await countOf('refund')).toBe(1);
    expect(await countOf('credit_note')).toBe(1);
    expect(await shown()).toMatchObject({ credited_cents: 345, refunded_cents: 345 });
    expect(await mailsOf()).toHaveLength(1);
    // The money is what is told of, and no credit besides.
    expect((await told()).map(({ type }) => type)).toEqual(['invoice.refunded']);
  });

  it('is never more than is left of what a card paid', async () => {
    const { app, operator, invoice_id, refund, countOf } = await prepare();
    await expect(refund(346)).rejects.toMatchObject({ code: 'refund_too_large', params: { left: 345 } });
    await creditInvoice(operator, { invoice_id, amount_cents: 45, reason: 'A gift' });
    await expect(refund(301)).rejects.toMatchObject({ code: 'refund_too_large', params: { left: 300 } });
    const payment = await app.db
      .selectFrom('sandbox_objects')
      .select('id')
      .where('kind', '=', 'payment_intent')
      .executeTakeFirstOrThrow();
    await askSandbox(app, '/v1/refunds', { payment_intent: payment.id, amount: '200' });
    await reconcileBilling(jobContext(app));
    await expect(refund(146)).rejects.toMatchObject({ code: 'refund_too_large', params: { left: 145 } });
    await refund(145);
    expect(await countOf('refund')).toBe(2);
  });

  it('that the provider refuses credits nothing, and is in the log', async () => {
    const { app, refund, shown, mailsOf } = await prepare();
    const payment = await app.db
      .selectFrom('sandbox_objects')
      .select('id')
      .where('kind', '=', 'payment_intent')
      .executeTakeFirstOrThrow();
    // Refunded at the provider, and not heard of yet.
    await askSandbox(app, '/v1/refunds', { payment_intent: payment.id });
    await expect(refund(100)).rejects.toMatchObject({
      code: 'credit_refused',
      params: { reason: 'charge_already_refunded' },
    });
    expect(await shown()).toMatchObject({ credited_cents: 0, credits: [] });
    expect(await mailsOf()).toEqual([]);
    const audited = await app.db
      .selectFrom('audit_events')
      .select('action')
      .where('action', 'like', 'invoice.credit%')
      .orderBy('id')
      .execute();
    expect(audited.map(({ action }) => action)).toEqual(['invoice.credit', 'invoice.credit_refused']);
  });

  it('is not of an unpaid invoice, nor of one that was paid by other means, nor of a disputed payment', async () => {
    const left = { code: 'refund_too_large', params: { left: 0 } };
    const { operator, invoice_id, refund } = await prepare(TEST_CARDS.declinesLater);
    await expect(refund(1)).rejects.toMatchObject(left);
    await expect(refund('all')).rejects.toMatchObject(left);
    await markInvoicePaid(operator, { invoice_id });
    await expect(refund(1)).rejects.toMatchObject(left);
    const disputed = await prepare(TEST_CARDS.disputes);
    await reconcileBilling(jobContext(disputed.app));
    await expect(disputed.refund(1)).rejects.toMatchObject(left);
  });

  it('is reserved to operators', async () => {
    const { context, invoice_id } = await prepare();
    const refused = refundInvoice(context, { invoice_id, amount_cents: 1, reason: 'x' });
    await expect(refused).rejects.toMatchObject({ code: 'operator_required' });
  });

  it('is in the files of the invoice in both languages', async () => {
    const { context, invoice_id, refund } = await prepare();
    await refund(100);
    const page = async (language: 'en-CA' | 'fr-CA') =>
      readPdf((await exportInvoice(context, 'pdf', { invoice_id, language })).content).pages.join(' ');
    const english = await page('en-CA');
    expect(english).toContain('Credit note, refunded to the card');
    expect(english).toContain('An outage');
    expect(english).toContain('Including GST $0.04 · QST $0.09');
    const french = await page('fr-CA');
    expect(french).toContain('Une panne');
    expect(french).toMatch(/Dont TPS 0,04.\$ · TVQ 0,09.\$/);
  });
});

describe('a credit by the operator', () => {
  it('is told to the billing contact and to webhooks once, with its reason and what becomes of it', async () => {
    const { app, context, operator, invoice_id, mailsOf } = await prepare();
    const told = await listenToAll(context);
    const credit = () => creditInvoice(operator, { invoice_id, amount_cents: 'all', reason: 'A gift' });
    await Promise.all([credit(), credit()]);
    await credit();
    await reconcileBilling(jobContext(app));
    const [mail, ...others] = await mailsOf();
    expect(mail?.subject).toBe('Credit of $3.45 for March 2026 · Portage');
    expect(mail?.text).toContain('taken off your next invoice');
    expect(mail?.text).toContain('Reason: A gift');
    expect(others).toEqual([]);
    expect(await told()).toMatchObject([
      {
        type: 'invoice.credited',
        data: { invoice_id, credit_cents: 345, amount_cents: 345, reason: 'A gift' },
      },
    ]);
  });
});

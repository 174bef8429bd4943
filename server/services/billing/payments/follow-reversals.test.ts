import { describe, expect, it, vi } from 'vitest';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { readMails } from '#tests/support/app/read-mails.ts';
import { prepareBilledMarch } from '#tests/support/billing/billed-march.ts';
import { askSandbox, openSandbox, TEST_CARDS } from '#tests/support/billing/billing.ts';
import { jobContext } from '#tests/support/billing/billing-month.ts';
import { readPdf } from '#tests/support/read-pdf.ts';
import { listenToAll } from '#tests/support/webhooks/listen-to.ts';
import { getBillingState } from '../get-billing-state.ts';
import { exportInvoice } from '../invoices/export-invoice.ts';
import { getInvoice } from '../invoices/get-invoice.ts';
import { listInvoices } from '../invoices/list-invoices.ts';
import { listInvoicesForOperator } from '../invoices/list-invoices-for-operator.ts';
import { followReversal } from './follow-reversals.ts';
import { reconcileBilling } from './reconcile-billing.ts';

/** March is billed, and what is done with it happens at the payment provider. */
async function prepare(card = TEST_CARDS.works) {
  const world = await prepareBilledMarch(card);
  const { app, context } = world;
  const { provider, sandbox } = await openSandbox(app);
  const idOf = async (kind: string) =>
    (
      await app.db
        .selectFrom('sandbox_objects')
        .select('id')
        .where('kind', '=', kind)
        .executeTakeFirstOrThrow()
    ).id;
  const refund = async (cents: number) =>
    askSandbox(app, '/v1/refunds', { payment_intent: await idOf('payment_intent'), amount: String(cents) });
  const shown = async () => (await listInvoices(context))[0];
  return { ...world, provider, sandbox, idOf, refund, shown };
}

describe('a refund at the payment provider', () => {
  it('is shown on the paid invoice, and people and programs are told once', async () => {
    const { app, context, refund, deliver, shown } = await prepare();
    await deliver();
    expect(await shown()).toMatchObject({ status: 'paid', payment_state: null, reversals: [] });
    const told = await listenToAll(context);
    await refund(100);
    await deliver();
    await deliver();
    expect(await shown()).toMatchObject({
      status: 'paid',
      payment_state: 'partly_refunded',
      refunded_cents: 100,
      reversals: [{ kind: 'refund', status: 'succeeded', amount_cents: 100, created_at: expect.any(String) }],
    });
    await refund(245);
    await deliver();
    expect(await shown()).toMatchObject({ status: 'paid', payment_state: 'refunded', refunded_cents: 345 });
    expect(await told()).toMatchObject([
      { type: 'invoice.refunded', data: { status: 'succeeded', reversed_cents: 100, amount_cents: 345 } },
      { type: 'invoice.refunded', data: { reversed_cents: 245 } },
    ]);
    const subjects = (await readMails(app)).map(({ subject }) => subject);
    expect(subjects.filter((each) => each.startsWith('Refund'))).toEqual([
      'Refund of $1.00 for March 2026 · Portage',
      'Refund of $2.45 for March 2026 · Portage',
    ]);
    const audited = await app.db
      .selectFrom('audit_events')
      .select('action')
      .where('action', '=', 'invoice.refund')
      .execute();
    expect(audited).toHaveLength(2);
  });

  it('is in the files of the invoice and in the operator’s list', async () => {
    const { app, context, refund, deliver, shown } = await prepare();
    await refund(100);
    await deliver();
    const invoice_id = (await shown())?.id ?? '';
    const file = async (format: 'pdf' | 'csv', language: 'en-CA' | 'fr-CA') =>
      (await exportInvoice(context, format, { invoice_id, language })).content;
    expect(String(await file('csv', 'fr-CA'))).toContain('Remboursé,2026-03,,,,-1');
    const pdf = readPdf(await file('pdf', 'en-CA')).pages.join(' ');
    expect(pdf).toContain('Partly refunded');
    expect(pdf).toContain('-$1.00');
    expect(await listInvoicesForOperator(operatorContext(app), {})).toMatchObject([
      { status: 'paid', payment_state: 'partly_refunded' },
    ]);
  });

  it('is found without its events', async () => {
    const { app, refund, shown } = await prepare();
    await refund(345);
    await reconcileBilling(jobContext(app));
    expect(await shown()).toMatchObject({ payment_state: 'refunded' });
    const mails = (await readMails(app)).length;
    await reconcileBilling(jobContext(app));
    expect((await readMails(app)).length).toBe(mails);
  });

  it('of a payment of something else is ignored', async () => {
    const { app, provider, refund, shown } = await prepare();
    await refund(345);
    vi.spyOn(provider, 'findInvoiceOf').mockResolvedValue('in_of_somebody_else');
    await reconcileBilling(jobContext(app));
    expect(await shown()).toMatchObject({ payment_state: null });
  });
});

describe('a dispute at the payer’s bank', () => {
  it('is shown until it is decided, and the operator sees that there is one', async () => {
    const { app, context, idOf, deliver, shown } = await prepare(TEST_CARDS.disputes);
    const told = await listenToAll(context);
    await deliver();
    expect(await shown()).toMatchObject({
      status: 'paid',
      payment_state: 'disputed',
      disputed_cents: 345,
      reversals: [{ kind: 'dispute', status: 'open', reason: 'fraudulent' }],
    });
    expect(await getBillingState(app)).toMatchObject({ disputed_invoices: 1 });
    await askSandbox(app, `/v1/disputes/${await idOf('dispute')}/close`, {});
    await deliver();
    expect(await shown()).toMatchObject({
      status: 'paid',
      payment_state: 'charged_back',
      disputed_cents: 0,
      charged_back_cents: 345,
    });
    expect(await getBillingState(app)).toMatchObject({ disputed_invoices: 0 });
    expect(await told()).toMatchObject([
      { type: 'invoice.disputed', data: { status: 'open', reversed_cents: 345 } },
      { type: 'invoice.disputed', data: { status: 'lost' } },
    ]);
    expect(await getInvoice(context, { invoice_id: (await shown())?.id ?? '' })).toMatchObject({
      charged_back_cents: 345,
    });
  });

  it('that is won leaves the invoice as paid as it was', async () => {
    const { app, idOf, deliver, shown } = await prepare(TEST_CARDS.disputes);
    await askSandbox(app, `/v1/disputes/${await idOf('dispute')}`, {
      'evidence[uncategorized_text]': 'winning_evidence',
    });
    await deliver();
    expect(await shown()).toMatchObject({
      payment_state: null,
      reversals: [{ status: 'won', amount_cents: 345 }],
    });
  });

  it('ends in the same state in whatever order its events arrive, and however often', async () => {
    const { app, sandbox, idOf, deliver, shown } = await prepare(TEST_CARDS.disputes);
    await askSandbox(app, `/v1/disputes/${await idOf('dispute')}/close`, {});
    sandbox.faults.deliveries = { isDuplicated: true, isReversed: true };
    await deliver();
    await deliver();
    expect(await shown()).toMatchObject({ payment_state: 'charged_back', reversals: [{ status: 'lost' }] });
  });

  it('is not set back by a response that was read before a newer one was written', async () => {
    const { app, provider, idOf, shown } = await prepare(TEST_CARDS.disputes);
    const dispute = await idOf('dispute');
    const follow = () => followReversal(jobContext(app), provider, 'dispute', dispute);
    const read = provider.listReversals;
    vi.spyOn(provider, 'listReversals').mockImplementationOnce(async (...given) => {
      const early = await read(...given);
      await askSandbox(app, `/v1/disputes/${dispute}/close`, {});
      await follow();
      return early;
    });
    await follow();
    expect(await shown()).toMatchObject({ payment_state: 'charged_back' });
  });
});

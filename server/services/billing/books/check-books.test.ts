import { describe, expect, it } from 'vitest';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { prepareBilledMarch } from '#tests/support/billing/billed-march.ts';
import { expectBooks } from '#tests/support/billing/expect-books.ts';
import { creditInvoice, refundInvoice } from '../credits/credit-invoice.ts';
import { checkBooks } from './check-books.ts';

/** March was paid, a dollar of it credited and another refunded. */
async function prepare() {
  const world = await prepareBilledMarch();
  const { app, operator, invoice_id, deliver } = world;
  await creditInvoice(operator, { invoice_id, amount_cents: 100, reason: 'An outage' });
  await refundInvoice(operator, { invoice_id, amount_cents: 100, reason: 'Another outage' });
  await deliver();
  await expectBooks(app);
  const differences = async () =>
    (await checkBooks(operator)).differences.map(({ difference }) => difference);
  return { ...world, differences };
}

describe('the books', () => {
  it('are added up for all organizations, and add up', async () => {
    const { operator } = await prepare();
    expect(await checkBooks(operator)).toEqual({
      ...{ organizations: 1, invoices: 1, differences: [] },
      ...{ invoiced_cents: 345, credited_cents: 200, paid_cents: 345, refunded_cents: 100 },
      ...{ open_cents: 0, balance_cents: -100 },
    });
  });

  it.each<[string, Record<string, number | string>, string]>([
    ['subtotal', { subtotal_cents: 301 }, 'the subtotal is 301 cents and should be 300'],
    ['total', { total_cents: 346 }, 'the total is 346 cents and should be 345'],
    ['credits', { credited_cents: 100 }, 'what was credited is 100 cents and should be 200'],
    ['amount due', { amount_due_cents: 357 }, 'what is due is 357 cents and should be 345'],
    ['payment', { amount_paid_cents: 0 }, 'what was paid is 0 cents and should be 345'],
    ['refund', { amount_paid_cents: 99 }, '100 cents were refunded of 99 that were paid'],
    ['buyer', { tax_place: '{"country":"CA","province":"ON"}' }, 'its taxes are not those of its subtotal'],
  ])('show a wrong %s of an invoice', async (_, values, difference) => {
    const { app, differences } = await prepare();
    await app.db.updateTable('invoices').set(values).execute();
    expect(await differences()).toContain(difference);
  });

  it('show usage that was billed twice or never, a lost invoice, and a refund that is not what its credit note says', async () => {
    const { app, operator, invoice_id, differences } = await prepare();
    const months = () => app.db.updateTable('billing_months');
    const { billed } = await app.db.selectFrom('billing_months').select('billed').executeTakeFirstOrThrow();
    await months()
      .set({ billed: JSON.stringify({ ...JSON.parse(billed), bandwidth: '5' }) })
      .execute();
    expect(await differences()).toEqual(['0 of bandwidth were billed, and 5 recorded as billed']);
    await months().set({ billed, invoice_id: null }).execute();
    expect(await differences()).toEqual([
      'it was closed without an invoice',
      'no closed month belongs to it',
    ]);
    await months().set({ invoice_id }).execute();
    await app.db.updateTable('invoice_lines').set({ amount_cents: 299 }).execute();
    await app.db.updateTable('payment_reversals').set({ amount_cents: 99 }).execute();
    expect(await differences()).toEqual([
      'the subtotal is 300 cents and should be 299',
      'its lines are not those that its month comes to',
      'a credit note of 100 cents refunds 99',
    ]);
    await expect(checkBooks({ ...operator, actor: { kind: 'job', name: 'test' } })).rejects.toMatchObject({
      code: 'operator_required',
    });
    expect(await checkBooks(operatorContext(app, 'read'))).toMatchObject({ invoices: 1 });
  });
});

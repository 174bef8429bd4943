import { expect } from 'vitest';
import { type CheckedBooks, checkBooks } from '#server/services/billing/books/check-books.ts';
import { operatorContext } from '../app/operator-context.ts';
import type { TestApp } from '../app/test-app.ts';

interface ProviderObjects {
  customer: { balance: number };
  invoice: { id: string; status: string; total: number; amount_due: number; amount_paid: number };
  invoice_payment: { invoice: string; amount_paid: number };
  charge: { amount_refunded: number };
}

/**
 * Expects that everything adds up here, and is the same at the payment provider: each invoice, what cards paid and have back, and what
 * is kept for next invoices. Nothing is under way between the two. Returns the totals.
 */
export async function expectBooks(app: TestApp): Promise<CheckedBooks> {
  const books = await checkBooks(operatorContext(app));
  expect(books.differences).toEqual([]);
  const theirs = await readObjects(app, 'invoice');
  const ours = await app.db.selectFrom('invoices').selectAll().where('provider_id', 'is not', null).execute();
  const describe = (id: string | null, status: string, total: number, due: number, paid: number) =>
    `${id}: ${status}, ${paid} of ${due} due of ${total}`;
  const asOurs = ours.map((row) =>
    describe(row.provider_id, row.status, row.total_cents, row.amount_due_cents, row.amount_paid_cents),
  );
  const asTheirs = theirs.map((each) =>
    describe(each.id, each.status, each.total, each.amount_due, each.amount_paid),
  );
  expect(asOurs.sort()).toEqual(asTheirs.sort());

  const elsewhere = await app.db
    .selectFrom('payment_attempts')
    .innerJoin('invoices', 'invoices.id', 'payment_attempts.invoice_id')
    .select('invoices.provider_id')
    .where('reason', '=', 'elsewhere')
    .where((attempt) => attempt.or([attempt('outcome', 'is', null), attempt('outcome', '=', 'paid')]))
    .execute();
  const paidElsewhere = new Set(elsewhere.map(({ provider_id }) => provider_id));
  const payments = await readObjects(app, 'invoice_payment');
  for (const { id, amount_paid } of theirs) {
    const byCards = sum(payments.filter(({ invoice }) => invoice === id).map((each) => each.amount_paid));
    if (paidElsewhere.has(id)) expect(amount_paid).toBeGreaterThanOrEqual(byCards);
    else expect([id, amount_paid]).toEqual([id, byCards]);
  }
  const refunds = await app.db
    .selectFrom('payment_reversals')
    .select('amount_cents')
    .where('kind', '=', 'refund')
    .where('status', 'in', ['pending', 'succeeded'])
    .execute();
  const refunded = (await readObjects(app, 'charge')).map(({ amount_refunded }) => amount_refunded);
  expect(sum(refunds.map(({ amount_cents }) => amount_cents))).toBe(sum(refunded));
  const balances = (await readObjects(app, 'customer')).map(({ balance }) => balance);
  expect(books.balance_cents).toBe(sum(balances));
  return books;
}

const sum = (amounts: readonly number[]) => amounts.reduce((all, amount) => all + amount, 0);

async function readObjects<K extends keyof ProviderObjects>(
  app: TestApp,
  kind: K,
): Promise<ProviderObjects[K][]> {
  const rows = await app.db.selectFrom('sandbox_objects').select('body').where('kind', '=', kind).execute();
  return rows.map(({ body }) => JSON.parse(body));
}

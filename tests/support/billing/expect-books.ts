import { expect } from 'vitest';
import { type CheckedBooks, checkBooks } from '#server/services/billing/books/check-books.ts';
import { operatorContext } from '../app/operator-context.ts';
import type { TestApp } from '../app/test-app.ts';

interface ProviderObjects {
  customer: { id: string; balance: number };
  invoice: { id: string; status: string; total: number; amount_due: number; amount_paid: number };
  charge: { amount: number; amount_refunded: number };
}

/**
 * Expects that everything adds up here, and is the same at the payment provider: each invoice, what cards paid and have back, and what
 * is kept for next invoices. Both have told each other everything. Returns the totals.
 * @param words.paidElsewhereCents what was paid and given back by other means than cards
 */
export async function expectBooks(
  app: TestApp,
  words: { paidElsewhereCents?: number } = {},
): Promise<CheckedBooks> {
  const books = await checkBooks(operatorContext(app));
  expect(books.differences).toEqual([]);
  const ours = await app.db
    .selectFrom('invoices')
    .selectAll()
    .where('provider_id', 'is not', null)
    .orderBy('provider_id')
    .execute();
  const theirs = await readObjects(app, 'invoice');
  const describe = (id: string | null, status: string, total: number, due: number, paid: number) =>
    `${id}: ${status}, ${paid} of ${due} due of ${total}`;
  expect(
    ours.map((row) =>
      describe(row.provider_id, row.status, row.total_cents, row.amount_due_cents, row.amount_paid_cents),
    ),
  ).toEqual(
    theirs
      .map((each) => describe(each.id, each.status, each.total, each.amount_due, each.amount_paid))
      .sort(),
  );
  const charges = await readObjects(app, 'charge');
  const sum = (amounts: readonly number[]) => amounts.reduce((all, amount) => all + amount, 0);
  const received = sum(charges.map(({ amount, amount_refunded }) => amount - amount_refunded));
  expect(books.paid_cents - books.refunded_cents - (words.paidElsewhereCents ?? 0)).toBe(received);
  const balances = (await readObjects(app, 'customer')).map(({ balance }) => balance);
  expect(books.balance_cents).toBe(sum(balances));
  return books;
}

async function readObjects<K extends keyof ProviderObjects>(
  app: TestApp,
  kind: K,
): Promise<ProviderObjects[K][]> {
  const rows = await app.db.selectFrom('sandbox_objects').select('body').where('kind', '=', kind).execute();
  return rows.map(({ body }) => JSON.parse(body));
}

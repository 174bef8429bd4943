import { describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { SANDBOX_BILLING } from '#tests/support/billing/billing.ts';
import { readProviderInvoices } from '#tests/support/billing/billing-month.ts';
import { expectBooks } from '#tests/support/billing/expect-books.ts';
import {
  bandwidthCents,
  requestCents,
  secondOpinion,
  storageCents,
} from '#tests/support/billing/second-opinion.ts';
import { liveThroughMonths, type TroubledAccount } from '#tests/support/billing/troubled-months.ts';
import { engine } from '#tests/support/runner/engine.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { noteBillingMode } from '../note-billing-mode.ts';
import { type UsageKind, unitPriceOf } from './rating-rules.ts';
import { pricesOf, readSnapshot } from './snapshot.ts';

/**
 * `ACCOUNT_MONTHS_SEED=7 ACCOUNT_MONTHS=20x100 npm run account-months` simulates 20 months with 100 accounts.
 */
const { ACCOUNT_MONTHS_SEED = '12', ACCOUNT_MONTHS } = process.env;
const seed = Number(ACCOUNT_MONTHS_SEED);
const [months = 0, accounts = 0] = (ACCOUNT_MONTHS ?? (engine === 'postgres' ? '4x15' : '13x20'))
  .split('x')
  .map(Number);
const PATIENCE_MS = 20 * 60_000;
const START = Date.UTC(2026, 2, 1);
const TAX_REGISTRATIONS =
  'GST:123456789RT0001,QST:1234567890TQ0001,PST-BC:PST-1234-5678,RST-MB:123456-7,PST-SK:1234567';

/** Returns invoices with their lines and snapshots. */
async function readInvoices({ db }: TestApp) {
  const invoices = await db.selectFrom('invoices').selectAll().orderBy('id').execute();
  const lines = Map.groupBy(
    await db.selectFrom('invoice_lines').selectAll().orderBy('position').execute(),
    ({ invoice_id }) => invoice_id,
  );
  const snapshots = new Map(
    (await db.selectFrom('billing_months').select(['invoice_id', 'snapshot']).execute()).map(
      ({ invoice_id, snapshot }) => [invoice_id, snapshot],
    ),
  );
  return invoices.map((row) => ({
    row,
    lines: lines.get(row.id) ?? [],
    snapshot: readSnapshot(snapshots.get(row.id) ?? ''),
  }));
}

type KnownInvoice = Awaited<ReturnType<typeof readInvoices>>[number];

/** What was billed for one month's usage, by all invoices together. */
function billedOf(invoices: readonly KnownInvoice[], account: TroubledAccount, month: number, usage: string) {
  return invoices
    .filter(({ row }) => row.organization_id === account.id)
    .flatMap(({ lines }) => lines)
    .filter(
      (line) => line.usage_kind === usage && (line.usage_year - 2026) * 12 + (line.usage_month - 3) === month,
    )
    .reduce((sum, { amount_cents }) => sum + amount_cents, 0);
}

describe(`months in which everything goes wrong (seed ${seed}, ${months} months, ${accounts} accounts)`, () => {
  it(
    'leave exactly one paid invoice for every account and month, correct to the cent',
    async () => {
      const app = await createTestApp({
        environment: { ...SANDBOX_BILLING, TAX_REGISTRATIONS, STORAGE_PRICE_CENTS_PER_GB_MONTH: '2345.678' },
      });
      await noteBillingMode(app.db, app.config, START);
      const person = await createTestPerson(app);
      const random = seededRandom(seed);
      const world = await liveThroughMonths(app, person, { random, accounts, months, start: START });
      // It was as bad as intended.
      expect(world.troubles.size).toBeGreaterThan(10);

      const ours = await readInvoices(app);
      const theirs = await readProviderInvoices(app);
      expect(ours).toHaveLength(accounts * months);
      expect(theirs).toHaveLength(accounts * months);
      expect(new Set(theirs.map(({ metadata }) => metadata.portage_key)).size).toBe(accounts * months);
      expect(new Set([...ours.map(({ row }) => row.status), ...theirs.map(({ status }) => status)])).toEqual(
        new Set(['paid']),
      );
      const totals = new Map(ours.map(({ row }) => [row.provider_id, row.total_cents]));
      for (const { id, total, amount_paid } of theirs) {
        expect([total, amount_paid]).toEqual([totals.get(id), totals.get(id)]);
      }
      // Each was issued and paid once, and people were notified once.
      for (const action of ['invoice.issue', 'invoice.paid'] as const) {
        const told = await app.db
          .selectFrom('audit_events')
          .select('resource_id')
          .where('action', '=', action)
          .execute();
        expect([action, told.length]).toEqual([action, accounts * months]);
      }
      for (const invoice of ours) expectClose(invoice);
      await expectBooks(app);
      for (const [number, account] of world.accounts.entries()) {
        for (const [month, counted] of account.counted.entries()) {
          const [bandwidth, requests] = (['bandwidth', 'requests'] as const).map((usage) =>
            billedOf(ours, account, month, usage),
          );
          expect([bandwidth, requests, billedOf(ours, account, month, 'storage')]).toEqual([
            bandwidthCents(counted.bytes),
            requestCents(counted.requests),
            storageCents(counted.byteHours ?? 0n, 2_345_678n),
          ]);
          if (number % 2 === 0) continue;
          // An account with complete data is billed what a second program calculates.
          const own = ours.find(
            ({ row }) =>
              row.organization_id === account.id &&
              (row.billing_year - 2026) * 12 + row.billing_month - 3 === month,
          );
          const expected = secondOpinion(counted, account.province, 2_345_678n);
          expect([own?.row.subtotal_cents, own?.row.total_cents]).toEqual([
            expected.subtotal_cents,
            expected.total_cents,
          ]);
        }
      }
    },
    PATIENCE_MS,
  );
});

/** Each line is within half a cent of what its quantity costs. */
function expectClose({ lines, snapshot }: KnownInvoice): void {
  for (const { kind, usage_kind, quantity, amount_cents } of lines) {
    if (kind === 'adjustment') continue;
    const { num, den } = unitPriceOf(usage_kind as UsageKind, pricesOf(snapshot));
    const distance = 2n * (BigInt(amount_cents) * den - BigInt(quantity) * num);
    expect(distance > -den && distance <= den).toBe(true);
  }
}

import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { SANDBOX_KEYS } from '#server/payments/sandbox/sandbox-keys.ts';
import { createStripeProvider } from '#server/payments/stripe-provider.ts';
import { prepareBilledSite } from '#tests/support/billing/billed-site.ts';
import { openSandbox } from '#tests/support/billing/billing.ts';
import {
  makePayingOrganization,
  readProviderInvoices,
  runMonthEnd,
  travelTo,
} from '#tests/support/billing/billing-month.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { listInvoices } from '../invoices/list-invoices.ts';

const APRIL = Date.UTC(2026, 3, 1);
const ACCOUNTS = 30;

it('a month that ends while the provider accepts requests and never answers is billed once it answers', async () => {
  const { app, person, context } = await prepareBilledSite();
  for (let count = 1; count < ACCOUNTS; count += 1) await makePayingOrganization(person, app.clock.now());
  const { sandbox } = await openSandbox(app);
  const settings = { mode: 'sandbox' as const, ...SANDBOX_KEYS };
  const provider = createStripeProvider(settings, { ...app, retries: 0, timeoutMs: 30 }, sandbox.fetch);
  const payments = { ...settings, open: async () => ({ provider, sandbox }) };
  travelTo(app, APRIL + DAY_MS);
  sandbox.faults.add({ kind: 'silent', times: Number.POSITIVE_INFINITY });
  for (let round = 0; round < 3; round += 1) {
    await runMonthEnd({ ...app, payments });
    app.clock.advance(HOUR_MS);
  }
  expect(await listInvoices(context)).toMatchObject([{ status: 'draft', total_cents: 345 }]);
  expect(await readProviderInvoices(app)).toEqual([]);
  sandbox.faults.clear();
  const ours = await pollUntil(
    async () => {
      await runMonthEnd({ ...app, payments });
      app.clock.advance(6 * HOUR_MS);
      return app.db.selectFrom('invoices').select(['status', 'amount_paid_cents']).execute();
    },
    (invoices) => invoices.every(({ status }) => status === 'paid'),
  );
  expect(ours).toHaveLength(ACCOUNTS);
  const theirs = await readProviderInvoices(app);
  expect(theirs).toHaveLength(ACCOUNTS);
  expect(theirs.reduce((sum, { amount_paid }) => sum + amount_paid, 0)).toBe(ACCOUNTS * 345);
});

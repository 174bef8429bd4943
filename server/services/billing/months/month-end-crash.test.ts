import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#server/durations.ts';
import { prepareBilledSite } from '#tests/support/billing/billed-site.ts';
import { askSandbox } from '#tests/support/billing/billing.ts';
import {
  makePayingOrganization,
  readProviderInvoices,
  runMonthEnd,
  travelTo,
  withCrashes,
} from '#tests/support/billing/billing-month.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { listInvoices } from '../invoices/list-invoices.ts';

const APRIL = Date.UTC(2026, 3, 1);

describe('a crash at the end of a month', () => {
  const CALLS = [
    'findInvoice',
    'createInvoice',
    'addInvoiceLines',
    'finalizeInvoice',
    'payInvoice',
    'getInvoice',
  ];

  it.each(CALLS.flatMap((call) => [[call, 'before'] as const, [call, 'after'] as const]))(
    'at %s (%s) leaves exactly one paid invoice',
    async (call, moment) => {
      const { app, context } = await prepareBilledSite();
      travelTo(app, APRIL + DAY_MS);
      let isCrashed = false;
      const crashing = await withCrashes(app, (asked) => {
        if (asked !== call || isCrashed) return null;
        isCrashed = true;
        return moment;
      });
      for (let round = 0; round < 4; round += 1) {
        await runMonthEnd(crashing);
        app.clock.advance(HOUR_MS);
      }
      expect(isCrashed).toBe(true);
      expect(await listInvoices(context)).toMatchObject([{ status: 'paid', total_cents: 345 }]);
      expect(await readProviderInvoices(app)).toMatchObject([{ status: 'paid', amount_paid: 345 }]);
    },
  );

  it('is made good when the draft it left is deleted at the provider within the hour', async () => {
    const { app, context } = await prepareBilledSite();
    travelTo(app, APRIL + DAY_MS);
    for (const call of ['addInvoiceLines', 'finalizeInvoice']) {
      const crashing = await withCrashes(app, (asked) => (asked === call ? 'before' : null));
      await runMonthEnd(crashing);
      const [draft] = await readProviderInvoices(app);
      await askSandbox(app, `/v1/invoices/${draft?.id}`, {}, 'DELETE');
      app.clock.advance(5 * MINUTE_MS);
    }
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([{ status: 'paid', total_cents: 345 }]);
    expect(await readProviderInvoices(app)).toMatchObject([{ status: 'paid', amount_paid: 345 }]);
  });

  it('anywhere and any number of times leaves exactly one paid invoice for every account and month', async () => {
    const { app, person } = await prepareBilledSite();
    const random = seededRandom(12);
    const accounts = 8;
    for (let count = 1; count < accounts; count += 1) await makePayingOrganization(person, app.clock.now());
    const crashing = await withCrashes(app, () => {
      const drawn = random.next();
      return drawn < 0.1 ? 'before' : drawn < 0.2 ? 'after' : null;
    });
    const months = 12;
    for (let month = 3; month < 3 + months; month += 1) {
      travelTo(app, Date.UTC(2026, month, 2));
      for (let round = 0; round < 10; round += 1) {
        await runMonthEnd(crashing);
        app.clock.advance(6 * HOUR_MS);
      }
    }
    await runMonthEnd(app);
    const ours = await app.db.selectFrom('invoices').select(['status', 'amount_paid_cents']).execute();
    expect(ours).toHaveLength(accounts * months);
    const theirs = await readProviderInvoices(app);
    expect(theirs).toHaveLength(accounts * months);
    expect(new Set(theirs.map(({ metadata }) => metadata.portage_key)).size).toBe(accounts * months);
    expect(new Set(ours.map(({ status }) => status))).toEqual(new Set(['paid']));
    expect(theirs.reduce((sum, { amount_paid }) => sum + amount_paid, 0)).toBe(accounts * months * 345);
  });
});

import { describe, expect, it } from 'vitest';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { SANDBOX_BILLING } from '#tests/support/billing/billing.ts';
import { insertSite, jobContext, runMonthEnd, travelTo } from '#tests/support/billing/billing-month.ts';
import { storageCents } from '#tests/support/billing/second-opinion.ts';
import { readPdf } from '#tests/support/read-pdf.ts';
import { ANY_OBJECT, withBucket } from '#tests/support/storage/buckets.ts';
import { countUsage, usageRow } from '#tests/support/usage/usage-batches.ts';
import { deleteBucket } from '../../storage/buckets/delete-bucket.ts';
import { exportStorageUsage } from '../../storage/usage/export-storage-usage.ts';
import { getBillingStatus } from '../get-billing-status.ts';
import { exportInvoice } from '../invoices/export-invoice.ts';
import { getInvoiceUsage } from '../invoices/get-invoice-usage.ts';
import { listInvoices } from '../invoices/list-invoices.ts';
import { noteBillingMode } from '../note-billing-mode.ts';
import { enforceLimits } from '../spending/enforce-limits.ts';
import { listSpendingLimits } from '../spending/list-spending-limits.ts';
import { setSpendingLimit } from '../spending/set-spending-limit.ts';
import { getCost } from './get-cost.ts';
import { previewMonth } from './preview-month.ts';
import { readSnapshot, recomputeInvoice } from './snapshot.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MARCH = Date.UTC(2026, 2, 1);
const APRIL = Date.UTC(2026, 3, 1);
const MAY = Date.UTC(2026, 4, 1);
/** $999.99999 a month for a GB: what a test can store costs some cents. */
const PRICE = '99999.999';
const MILLICENTS = 99_999_999n;
const MEGABYTE = 2 ** 20;
const MAIL = { MAIL_URL: 'smtp://127.0.0.1:2525', MAIL_FROM: 'no-reply@example.ca' };

/** An organization with a bucket and no site, whose billing began with March; the clock stands at noon of its first day. */
async function prepare(price: string | null = PRICE, environment: Record<string, string> = {}) {
  const priced: Record<string, string> = price === null ? {} : { STORAGE_PRICE_CENTS_PER_GB_MONTH: price };
  const world = await withBucket('priced', { ...SANDBOX_BILLING, ...environment, ...priced });
  const { app } = world;
  await noteBillingMode(app.db, app.config, MARCH);
  const setPrice = (cents: number) => {
    const billing = { ...app.config.billing, storageMillicents: cents * 1_000 };
    return noteBillingMode(app.db, { ...app.config, billing }, app.clock.now());
  };
  return { ...world, setPrice };
}

describe('storage with a price', () => {
  it('is a line of the invoice, by the byte-hours of the CSV, also for whoever has no site', async () => {
    const { app, context, bucketId, put } = await prepare();
    await put('a', 'x'.repeat(MEGABYTE));
    travelTo(app, APRIL + DAY_MS);
    const byteHours = MEGABYTE * 24 * 30.5;
    expect(await previewMonth(operatorContext(app), { month: '2026-03' })).toMatchObject([
      { subtotal_cents: 98 },
    ]);
    expect(await runMonthEnd(app)).toEqual([]);
    const [invoice] = await listInvoices(context);
    expect(invoice).toMatchObject({
      status: 'paid',
      storage_byte_hours: byteHours,
      storage_cents: 98,
      storage_rate_cents: 99_999.999,
      subtotal_cents: 98,
    });
    expect(storageCents(BigInt(byteHours), MILLICENTS)).toBe(98);
    const invoice_id = invoice?.id ?? '';
    const { stored, start_date, end_date } = await getInvoiceUsage(context, { invoice_id });
    expect(stored).toEqual([{ bucket_id: bucketId, name: 'priced', byte_hours: byteHours }]);
    const csv = await exportStorageUsage(context, { start_date, end_date });
    const listed = csv.text.trim().split('\r\n').slice(1);
    expect(listed.reduce((sum, line) => sum + Number(line.split(',')[3]), 0)).toBe(byteHours);
  });

  it('stands in the files of the invoice, in both languages', async () => {
    const { app, context, put } = await prepare('2300');
    await put('a', 'x'.repeat(MEGABYTE));
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    const [invoice] = await listInvoices(context);
    const invoice_id = invoice?.id ?? '';
    const file = (format: 'pdf' | 'csv', language: 'en-CA' | 'fr-CA') =>
      exportInvoice(context, format, { invoice_id, language });
    const csv = async (language: 'en-CA' | 'fr-CA') => (await file('csv', language)).content.toString();
    const byteHours = MEGABYTE * 24 * 30.5;
    expect(await csv('en-CA')).toContain(
      `1,Object storage,2026-03,${byteHours},byte-hours,23.00/GB-month,0.02\r\n`,
    );
    expect(await csv('fr-CA')).toContain(`Stockage d’objets,2026-03,${byteHours},octets-heures,`);
    const said = readPdf((await file('pdf', 'en-CA')).content)
      .pages.join('\n')
      .split('\n');
    expect(said).toEqual(
      expect.arrayContaining(['Object storage', '0.000979 GB-month', '$23.00 / GB-month', '$0.02']),
    );
  });

  it('ends with its bucket, and is billed for the time before', async () => {
    const { app, context, bucketId, put } = await prepare();
    await put('a', 'x'.repeat(MEGABYTE));
    app.clock.advance(10 * DAY_MS);
    await deleteBucket(context, { bucket_id: bucketId });
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    const hours = BigInt(MEGABYTE * 240);
    expect(await listInvoices(context)).toMatchObject([
      { storage_byte_hours: Number(hours), storage_cents: storageCents(hours, MILLICENTS) },
    ]);
  });

  it('is in the cost to date, and its forecast goes on with what is stored now', async () => {
    const { app, context, put } = await prepare();
    travelTo(app, MARCH + 20 * DAY_MS);
    await put('a', 'x'.repeat(MEGABYTE));
    app.clock.advance(5 * DAY_MS);
    const cost = await getCost(context);
    const hours = (days: number) => BigInt(MEGABYTE * 24 * days);
    expect(cost.storage_byte_hours).toBe(Number(hours(5)));
    expect(cost.storage_cents).toBe(storageCents(hours(5), MILLICENTS));
    // Eleven days of the month, although five of twenty-five are over.
    expect(cost.forecast_total_cents).toBe(storageCents(hours(11), MILLICENTS));
  });

  it('counts under the limit of the organization, and is billed beyond it as long as it is stored', async () => {
    const { app, context, put } = await prepare();
    await setSpendingLimit(context, { scope: 'organization', amount_cents: 60, action: 'stop' });
    await put('a', 'x'.repeat(MEGABYTE));
    app.clock.advance(10 * DAY_MS);
    expect(await listSpendingLimits(context)).toMatchObject([{ spent_cents: 32, is_stopped: false }]);
    app.clock.advance(10 * DAY_MS);
    await enforceLimits(jobContext(app));
    expect(await listSpendingLimits(context)).toMatchObject([{ spent_cents: 64, is_stopped: true }]);
    const uncut = { limit_cuts: [], limit_cut_cents: 0 };
    // 20 and 30.5 days of a MiB: 468.75 and 714.84 GB-hours of $999.99999 for 730.
    expect(await getCost(context)).toMatchObject({
      ...{ storage_cents: 64, total_cents: 64, forecast_total_cents: 98 },
      ...uncut,
    });
    travelTo(app, APRIL + DAY_MS);
    expect(await previewMonth(operatorContext(app), { month: '2026-03' })).toMatchObject([
      { total_cents: 98 },
    ]);
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([{ storage_cents: 98, total_cents: 98, ...uncut }]);
  });

  it('leaves its remainder of a limit to everything else, taxes included, and late usage stays unbilled', async () => {
    const { app, context, put } = await prepare(PRICE, { TAX_REGISTRATIONS: 'GST:123456789RT0001' });
    const organizationId = context.organization.id;
    const siteId = await insertSite(app, organizationId, MARCH);
    await put('a', 'x'.repeat(MEGABYTE));
    const use = (gigabytes: number) =>
      countUsage(
        app,
        [usageRow(organizationId, { siteId }, { bytes_sent: gigabytes * 2 ** 30 })],
        MARCH + DAY_MS,
      );
    await setSpendingLimit(context, { scope: 'organization', amount_cents: 500, action: 'stop' });
    await use(100);
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    // $4.76 and five percent of it, 24 cents, are $5.00: $0.98 are stored, $3.00 the site, and $0.78 are left of $10.00.
    expect(await listInvoices(context)).toMatchObject([
      {
        ...{ site_cents: 300, storage_cents: 98, bandwidth_cents: 78, subtotal_cents: 476, total_cents: 500 },
        limit_cuts: [{ usage_kind: 'bandwidth', cut_cents: 922 }],
      },
    ]);
    await put('b', 'x'.repeat(9 * MEGABYTE));
    await use(100);
    travelTo(app, MAY + DAY_MS);
    await runMonthEnd(app);
    // 720 hours of a MiB and 696 of nine are $9.34, with $0.47 of tax: beyond the limit, which cuts the site to nothing.
    expect((await listInvoices(context))[0]).toMatchObject({
      ...{ billing_month: 4, storage_cents: 934, site_cents: 0, subtotal_cents: 934, total_cents: 981 },
      limit_cuts: [{ usage_kind: 'site', cut_cents: 300 }],
      adjustments: [],
    });
  });

  it('leaves no room for late usage in the forecast either, when it takes the whole limit', async () => {
    const { app, context, put } = await prepare();
    const organizationId = context.organization.id;
    const siteId = await insertSite(app, organizationId, MARCH);
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    await countUsage(
      app,
      [usageRow(organizationId, { siteId }, { bytes_sent: 10 * 2 ** 30 })],
      MARCH + DAY_MS,
    );
    await setSpendingLimit(context, { scope: 'organization', amount_cents: 500, action: 'stop' });
    await put('a', 'x'.repeat(9 * MEGABYTE));
    app.clock.advance(HOUR_MS);
    const cost = await getCost(context);
    // The site, an hour of nine MiB, and a dollar of March fit; 696 hours are $8.38.
    expect(cost).toMatchObject({ total_cents: 401, forecast_total_cents: 838 });
    travelTo(app, MAY + DAY_MS);
    await runMonthEnd(app);
    expect((await listInvoices(context))[0]).toMatchObject({ billing_month: 4, total_cents: 838 });
  });

  it('is the exception that people read when the limit of the organization is reached', async () => {
    for (const [price, words] of [
      [PRICE, 'Beyond the limit, only what is stored is billed, as long as it is stored.'],
      [null, 'Nothing beyond the limit is billed.'],
    ] as const) {
      const { app, context } = await prepare(price, MAIL);
      await setSpendingLimit(context, { scope: 'organization', amount_cents: 0, action: 'stop' });
      const { id, message_sealed } = await app.db
        .selectFrom('outgoing_mails')
        .selectAll()
        .where('resource_type', '=', 'spending_limit')
        .executeTakeFirstOrThrow();
      expect(app.sealer.open(message_sealed, id)).toContain(words);
    }
  });

  it('is not added to once the limit has stopped the organization, while reading, shrinking and deleting go on', async () => {
    const { app, context, bucket, ports, put, read } = await prepare();
    const limit = (amount_cents: number) =>
      setSpendingLimit(context, { scope: 'organization', amount_cents, action: 'stop' });
    await limit(60);
    await put('a', 'x'.repeat(MEGABYTE));
    await put('b', 'short');
    app.clock.advance(20 * DAY_MS);
    await enforceLimits(jobContext(app));
    for (const key of ['c', 'b']) {
      await expect(put(key, 'more than before')).rejects.toMatchObject({
        code: 'AccountProblem',
        status: 403,
      });
    }
    expect(await read('b')).toBe('short');
    await put('b', 'less');
    await ports.deleteObject(bucket, 'b', ANY_OBJECT);
    await limit(1_000);
    await put('c', 'more than before');
    expect(await read('c')).toBe('more than before');
  });

  it('is frozen with its month: the invoice can be computed again after the price has changed', async () => {
    const { app, context, put, setPrice } = await prepare('1000');
    await put('a', 'x'.repeat(MEGABYTE));
    app.clock.advance(DAY_MS);
    await setPrice(90_000);
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    travelTo(app, MAY + DAY_MS);
    await runMonthEnd(app);
    const months = await app.db.selectFrom('billing_months').selectAll().orderBy('month').execute();
    const again = months.map((row) =>
      recomputeInvoice(row, readSnapshot(row.snapshot), { country: 'CA', province: 'QC' }, {}),
    );
    const billed = (await listInvoices(context)).toReversed().map(({ subtotal_cents }) => subtotal_cents);
    expect(again.map(({ subtotalCents }) => subtotalCents)).toEqual(billed);
    expect(billed).toEqual([
      storageCents(BigInt(MEGABYTE * 732), 1_000_000n),
      storageCents(BigInt(MEGABYTE * 720), 90_000_000n),
    ]);
  });

  it('is told to people before it holds', async () => {
    const { context, setPrice } = await prepare(null);
    expect((await getBillingStatus(context)).storage_price).toBeNull();
    await setPrice(2.3);
    expect((await getBillingStatus(context)).storage_price).toEqual({
      cents_per_gb_month: 0,
      coming: { cents_per_gb_month: 2.3, from: '2026-04-01' },
    });
  });
});

describe('storage without a price', () => {
  it('is added to beyond the spending limit, since it spends nothing', async () => {
    const { app, context, put, read } = await prepare(null);
    await setSpendingLimit(context, { scope: 'organization', amount_cents: 0, action: 'stop' });
    await enforceLimits(jobContext(app));
    expect(await listSpendingLimits(context)).toMatchObject([{ is_stopped: true }]);
    await put('a', 'free');
    expect(await read('a')).toBe('free');
  });

  it('adds no line, no invoice and no figure', async () => {
    for (const price of [null, '0']) {
      const { app, context, put } = await prepare(price);
      const other = await createTestPerson(app);
      await put('a', 'x'.repeat(MEGABYTE));
      travelTo(app, APRIL + DAY_MS);
      expect(await runMonthEnd(app)).toEqual([]);
      expect(await listInvoices(context)).toEqual([]);
      expect(await getCost(context)).toMatchObject({
        storage_byte_hours: 0,
        storage_cents: 0,
        total_cents: 0,
      });
      const { length } = await app.db.selectFrom('billing_months').select('year').execute();
      expect([length, (await getBillingStatus(other.context)).storage_price]).toEqual([0, null]);
    }
  });
});

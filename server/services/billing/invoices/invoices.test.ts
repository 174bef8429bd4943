import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import {
  insertOpenInvoice,
  openSandbox,
  SANDBOX_BILLING,
  setUpBilling,
} from '#tests/support/billing/billing.ts';
import { countUsage, usageRow } from '#tests/support/usage/usage-batches.ts';
import { createSite } from '../../sites/create-site.ts';
import { getCost } from '../months/get-cost.ts';
import { deliverSandboxEvents } from '../payments/deliver-sandbox-events.ts';
import { handleWebhooks, pruneWebhooks } from '../payments/handle-webhooks.ts';
import { takeWebhook } from '../payments/take-webhook.ts';
import { getHostedInvoice } from './get-hosted-invoice.ts';
import { getInvoice } from './get-invoice.ts';
import { listInvoices } from './list-invoices.ts';

async function prepare(environment: Record<string, string> = {}) {
  const app = await createTestApp({ environment: { ...SANDBOX_BILLING, ...environment } });
  const { context } = await createTestPerson(app);
  await setUpBilling(context);
  const { sandbox, provider } = await openSandbox(app);
  return { app, context, sandbox, provider };
}

describe('an invoice', () => {
  it('is listed and shown with the field names of the API, in cents', async () => {
    const { context } = await prepare();
    expect(await listInvoices(context)).toEqual([]);
    const id = await insertOpenInvoice(context);
    const [listed] = await listInvoices(context);
    expect(listed).toMatchObject({
      id,
      billing_month: 2,
      billing_year: 2026,
      status: 'open',
      site_count: 1,
      site_cents: 300,
      cdn_endpoint_count: 0,
      bandwidth_bytes: 0,
      total_requests: 0,
      subtotal_cents: 300,
      tax_details: [],
      total_cents: 300,
      hosted_invoice_url: expect.stringContaining(`/api/v1/billing/invoices/${id}/hosted`),
    });
    expect(await getInvoice(context, { invoice_id: id })).toMatchObject({
      ...listed,
      buyer: { company: 'Analytical Engines' },
      seller: { name: 'Portage', registrations: {} },
    });
  });

  it('leads its members to the provider’s page, and no one else', async () => {
    const { app, context } = await prepare();
    const invoice_id = await insertOpenInvoice(context);
    expect(await getHostedInvoice(context, { invoice_id })).toMatch(/\/_sandbox\/invoices\/in_\w+$/);
    const stranger = await createTestPerson(app);
    const refused = { code: 'invoice_not_found', status: 404 };
    await expect(getHostedInvoice(stranger.context, { invoice_id })).rejects.toMatchObject(refused);
    await expect(getInvoice(stranger.context, { invoice_id })).rejects.toMatchObject(refused);
    await expect(getHostedInvoice(context, { invoice_id: 'unknown' })).rejects.toMatchObject(refused);
  });

  it('follows the provider and never goes back, whatever the order of events', async () => {
    const { app, context, sandbox, provider } = await prepare();
    const invoice_id = await insertOpenInvoice(context);
    const row = app.db.selectFrom('invoices').select('provider_id').where('id', '=', invoice_id);
    const { provider_id } = await row.executeTakeFirstOrThrow();
    await provider.markPaidElsewhere(provider_id ?? '', 'key');
    sandbox.faults.deliveries = { isDuplicated: true, isReversed: true };
    await deliverSandboxEvents(context);
    const job = { ...context, actor: { kind: 'job' as const, name: 'handle-webhooks' } };
    expect(await handleWebhooks(job)).toBeGreaterThan(1);
    expect(await getInvoice(context, { invoice_id })).toMatchObject({
      status: 'paid',
      paid_at: expect.any(String),
    });
    const paid = app.db.selectFrom('audit_events').select('action').where('action', '=', 'invoice.paid');
    expect(await paid.execute()).toHaveLength(1);
    app.clock.advance(91 * DAY_MS);
    expect(await pruneWebhooks(context)).toBeGreaterThan(1);
    const left = app.db.selectFrom('sandbox_objects').select('id').where('kind', '=', 'event');
    expect(await left.execute()).toEqual([]);
    expect(await app.db.selectFrom('sandbox_answers').select('status').execute()).toEqual([]);
    expect(await getInvoice(context, { invoice_id })).toMatchObject({ status: 'paid' });
  });
});

describe('a delivery', () => {
  it('is rejected without the provider’s signature', async () => {
    const { app } = await prepare();
    await expect(takeWebhook(app, '{}', 't=1,v1=00')).rejects.toMatchObject({
      code: 'webhook_refused',
      status: 400,
    });
    const events = await app.db.selectFrom('webhook_events').selectAll().execute();
    expect(events).toEqual([]);
  });

  it('that cannot be processed waits, longer each time, and blocks no other', async () => {
    const { app, context, sandbox } = await prepare();
    await deliverSandboxEvents(context);
    const waiting = app.db
      .selectFrom('webhook_events')
      .select('type')
      .where('next_attempt_at', 'is not', null);
    const all = (await waiting.execute()).length;
    sandbox.faults.add({ kind: 'server_error', on: /GET/, times: 3 });
    const job = { ...context, actor: { kind: 'job' as const, name: 'handle-webhooks' } };
    const handled = await handleWebhooks(job);
    expect(handled).toBe(all - 1);
    expect(await handleWebhooks(job)).toBe(0);
    app.clock.advance(10_000);
    expect(await handleWebhooks(job)).toBe(1);
    expect(await waiting.execute()).toEqual([]);
  });
});

describe('the cost to date', () => {
  it('is the invoice so far, with taxes, and a forecast of the whole month', async () => {
    const { app, context } = await prepare({
      TAX_REGISTRATIONS: 'GST:123456789RT0001,QST:1234567890TQ0001',
    });
    const { id } = await createSite(context, { name: 'blog' });
    // The test's clock is half a day into March.
    const used = { bytes_sent: 100 * 2 ** 30, requests: 1_000_000 };
    await countUsage(app, [usageRow(context.organization.id, { siteId: id }, used)]);
    expect(await getCost(context)).toMatchObject({
      billing_month: 3,
      billing_year: 2026,
      site_count: 1,
      site_cents: 300,
      bandwidth_bytes: used.bytes_sent,
      bandwidth_cents: 1_000,
      request_cents: 100,
      subtotal_cents: 1_400,
      tax_details: [
        { tax_name: 'GST', tax_rate: 5, amount: 70 },
        { tax_name: 'QST', tax_rate: 9.975, amount: 140 },
      ],
      total_cents: 1_610,
      // 62 half days of traffic, and one site.
      forecast_total_cents: 68_500 + 3_425 + 6_833,
    });
  });

  it('counts only this month, and only this organization', async () => {
    const { app, context } = await prepare();
    const stranger = await createTestPerson(app);
    const row = (organization: string) =>
      usageRow(organization, { endpointId: 'endpoint' }, { bytes_sent: 2 ** 40, requests: 5 });
    await countUsage(app, [row(context.organization.id)], Date.UTC(2026, 1, 28, 23));
    await countUsage(app, [row(stranger.organization.id)], Date.UTC(2026, 2, 1));
    expect(await getCost(context)).toMatchObject({ bandwidth_bytes: 0, total_requests: 0, total_cents: 0 });
  });
});

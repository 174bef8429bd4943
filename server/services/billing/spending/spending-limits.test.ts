import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { createEdge } from '#server/edge/create-edge.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { readMails } from '#tests/support/app/read-mails.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { SANDBOX_BILLING, setUpBilling } from '#tests/support/billing/billing.ts';
import { jobContext, runMonthEnd, travelTo } from '#tests/support/billing/billing-month.ts';
import { askEdge } from '#tests/support/client/ask-edge.ts';
import { countUsage, usageRow } from '#tests/support/usage/usage-batches.ts';
import { listenToAll } from '#tests/support/webhooks/listen-to.ts';
import { createEndpoint } from '../../cdn/create-endpoint.ts';
import { createEdgePorts } from '../../serving/edge-ports.ts';
import { createSite } from '../../sites/create-site.ts';
import { listInvoices } from '../invoices/list-invoices.ts';
import { noteBillingMode } from '../note-billing-mode.ts';
import { enforceLimits } from './enforce-limits.ts';
import { listSpendingLimits } from './list-spending-limits.ts';
import { removeSpendingLimit } from './remove-spending-limit.ts';
import { setSpendingLimit } from './set-spending-limit.ts';

const GB = 2 ** 30;
const MARCH = Date.UTC(2026, 2, 1);
const APRIL = Date.UTC(2026, 3, 1);
const MAIL = { MAIL_URL: 'smtp://127.0.0.1:2525', MAIL_FROM: 'no-reply@example.ca' };

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** An organization with two sites and an endpoint, and how the edge resolves its names. */
async function prepare() {
  const environment = { ...SANDBOX_BILLING, ...MAIL, TAX_REGISTRATIONS: 'GST:123456789RT0001' };
  const app = await createTestApp({ environment });
  const person = await createTestPerson(app);
  const { context } = person;
  await setUpBilling(context);
  const blog = await createSite(context, { name: 'blog' });
  const shop = await createSite(context, { name: 'shop' });
  const endpoint = await createEndpoint(context, { hostname: 'www.blog.localhost', site_id: blog.id });
  for (const { id } of [blog, shop]) await deployTestFiles(context, id, { 'index.html': 'here' });
  const use = (gigabytes: number, of: { siteId?: string; endpointId?: string } = { siteId: blog.id }) =>
    countUsage(app, [usageRow(context.organization.id, of, { bytes_sent: gigabytes * GB })]);
  const ports = createEdgePorts(app);
  const servedNames = async () => {
    const names = ['blog.sites.localhost', 'shop.sites.localhost', 'www.blog.localhost'];
    const hosts = await Promise.all(names.map((name) => ports.resolveHost(name)));
    return hosts.map((host) => host?.isSuspended === false);
  };
  const mails = async () =>
    (
      await app.db
        .selectFrom('outgoing_mails')
        .selectAll()
        .where('resource_type', '=', 'spending_limit')
        .execute()
    ).length;
  return { app, person, context, blog, shop, endpoint, use, servedNames, mails };
}

describe('a spending limit', () => {
  it('is listed with what was spent under it, and replaced by another on the same resource', async () => {
    const { context, blog, use } = await prepare();
    await use(10);
    await setSpendingLimit(context, {
      scope: 'site',
      resource_id: blog.id,
      amount_cents: 5_000,
      action: 'notify',
    });
    await setSpendingLimit(context, { scope: 'organization', amount_cents: 10_000, action: 'notify' });
    const limits = await setSpendingLimit(context, {
      scope: 'site',
      resource_id: blog.id,
      amount_cents: 6_000,
      action: 'stop',
    });
    expect(limits).toMatchObject([
      // Two sites, an endpoint and 10 GB, with five percent.
      { scope: 'organization', resource_id: null, amount_cents: 10_000, spent_cents: 945 },
      {
        scope: 'site',
        resource_id: blog.id,
        name: 'blog',
        amount_cents: 6_000,
        action: 'stop',
        spent_cents: 400,
      },
    ]);
    expect(await listSpendingLimits(context)).toEqual(limits);
  });

  it('is removed once, however many ask at the same time', async () => {
    const { app, context } = await prepare();
    const [limit] = await setSpendingLimit(context, {
      scope: 'organization',
      amount_cents: 10_000,
      action: 'notify',
    });
    const remove = () => removeSpendingLimit(context, { limit_id: limit?.id ?? '' });
    const ended = await atOnce(app, [remove, remove, remove]);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('tells people at 50, 75, 90 and 100 percent, each once a month', async () => {
    const { app, context, blog, use, mails } = await prepare();
    await setSpendingLimit(context, {
      scope: 'site',
      resource_id: blog.id,
      amount_cents: 1_000,
      action: 'notify',
    });
    const told = await listenToAll(context);
    const after: number[] = [];
    for (const gigabytes of [10, 10, 30, 20, 20, 100]) {
      await use(gigabytes);
      await enforceLimits(jobContext(app));
      await enforceLimits(jobContext(app));
      after.push(await mails());
    }
    // $4, $5, $8, $10 (both 90 and 100 at once), $12, $22.
    expect(after).toEqual([0, 1, 2, 3, 3, 3]);
    for (const { text } of await readMails(app)) {
      expect(text).toContain('This is a sandbox: no money moves.');
      expect(text).toContain('C’est un bac à sable\u00a0: aucun argent ne circule.');
    }
    const reached = (await told()).filter(({ type }) => type === 'limit.reached');
    expect(reached.map(({ data }) => data.share)).toEqual([50, 75, 100]);
    expect(reached.at(-1)?.data).toMatchObject({
      scope: 'site',
      resource_id: blog.id,
      limit_cents: 1_000,
      is_stopped: false,
    });
    travelTo(app, APRIL);
    await use(20);
    await enforceLimits(jobContext(app));
    expect(await mails()).toBe(4);
  });

  it('names in the event what the API names: a site or an endpoint, and null for the organization', async () => {
    const { app, context, blog, endpoint, use } = await prepare();
    const told = await listenToAll(context);
    for (const of of [
      { scope: 'organization' },
      { scope: 'site', resource_id: blog.id },
      { scope: 'endpoint', resource_id: endpoint.id },
    ] as const) {
      await setSpendingLimit(context, { ...of, amount_cents: 100, action: 'notify' });
    }
    await use(1);
    await enforceLimits(jobContext(app));
    const reached = (await told()).filter(({ type }) => type === 'limit.reached');
    const named = reached.map(({ data }) => `${data.scope} ${data.resource_id}`).sort();
    const listed = await listSpendingLimits(context);
    expect(named).toEqual(listed.map(({ scope, resource_id }) => `${scope} ${resource_id}`).sort());
    expect(named).toContain('organization null');
  });

  it('stops what has reached it and nothing else, until it is raised, removed, or the month is over', async () => {
    const { app, context, blog, endpoint, use, servedNames } = await prepare();
    const set = (amount_cents: number) =>
      setSpendingLimit(context, {
        scope: 'endpoint',
        resource_id: endpoint.id,
        amount_cents,
        action: 'stop',
      });
    await set(500);
    await use(20, { siteId: blog.id });
    await enforceLimits(jobContext(app));
    expect(await servedNames()).toEqual([true, true, true]);
    await use(40, { siteId: blog.id, endpointId: endpoint.id });
    await enforceLimits(jobContext(app));
    expect(await servedNames()).toEqual([true, true, false]);
    await set(5_000);
    expect(await servedNames()).toEqual([true, true, true]);
    const [limit] = await setSpendingLimit(context, {
      scope: 'site',
      resource_id: blog.id,
      amount_cents: 0,
      action: 'stop',
    }).then((limits) => limits.filter(({ scope }) => scope === 'site'));
    expect(limit).toMatchObject({ is_stopped: true });
    expect(await servedNames()).toEqual([false, true, false]);
    await removeSpendingLimit(context, { limit_id: limit?.id ?? '' });
    expect(await servedNames()).toEqual([true, true, true]);
    await setSpendingLimit(context, { scope: 'organization', amount_cents: 1_000, action: 'stop' });
    expect(await servedNames()).toEqual([false, false, false]);
    travelTo(app, APRIL);
    // The month may be the error of a clock.
    await enforceLimits(jobContext(app), undefined, async () => false);
    expect(await servedNames()).toEqual([false, false, false]);
    await enforceLimits(jobContext(app));
    expect(await servedNames()).toEqual([true, true, true]);
    const reached = app.db
      .selectFrom('audit_events')
      .select('action')
      .where('action', '=', 'spending_limit.reach');
    expect(await reached.execute()).toHaveLength(3);
  });

  it('counts in the month in which billing began what its invoice counts: from the first whole day on', async () => {
    const { app, context, blog, use } = await prepare();
    // Billing begins in the middle of the third of March; what is used until that day ends is free.
    await noteBillingMode(app.db, app.config, MARCH + 2.5 * DAY_MS);
    await setSpendingLimit(context, {
      scope: 'site',
      resource_id: blog.id,
      amount_cents: 1_000,
      action: 'stop',
    });
    travelTo(app, MARCH + 2.6 * DAY_MS);
    await use(1_000);
    await enforceLimits(jobContext(app));
    travelTo(app, MARCH + 4 * DAY_MS);
    expect(await listSpendingLimits(context)).toMatchObject([{ spent_cents: 300, is_stopped: false }]);
    await use(30);
    const [limit] = await listSpendingLimits(context);
    expect(limit?.spent_cents).toBe(600);
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    // Two sites, an endpoint and the same 30 GB.
    expect(await listInvoices(context)).toMatchObject([
      { subtotal_cents: 600 + 200 + 300, bandwidth_cents: 300, limit_cut_cents: 0 },
    ]);
  });

  it('is answered by the edge with a plain page, 503 and Retry-After', async () => {
    const { app, context } = await prepare();
    const edge = createEdge({ ports: createEdgePorts(app), logger: app.logger });
    cleanups.push(() => edge.close());
    cleanups.push(
      app.edgeChanges.subscribe(({ site_id, hostname }) => {
        if (site_id) edge.invalidateSite(site_id);
        if (hostname) edge.invalidateHost(hostname);
      }),
    );
    await new Promise<void>((resolve) => edge.server.listen(0, '127.0.0.1', resolve));
    // A listening server has an address and a port.
    const { port } = edge.server.address() as AddressInfo;
    const ask = () => askEdge(port, 'blog.sites.localhost', '/');
    expect((await ask()).status).toBe(200);
    await setSpendingLimit(context, { scope: 'organization', amount_cents: 0, action: 'stop' });
    const stopped = await ask();
    expect([stopped.status, stopped.headers['retry-after']]).toEqual([503, '3600']);
    expect(stopped.body.toString()).toContain('spending limit');
    await setSpendingLimit(context, { scope: 'organization', amount_cents: 0, action: 'notify' });
    expect((await ask()).status).toBe(200);
  });

  it('is never exceeded by the invoice, taxes included, which states what was left out', async () => {
    const { app, context, use } = await prepare();
    await setSpendingLimit(context, { scope: 'organization', amount_cents: 2_000, action: 'stop' });
    await use(500);
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    const [march] = await listInvoices(context);
    expect(march?.total_cents).toBeLessThanOrEqual(2_000);
    // Five percent of $19.05 is rounded up to $0.95; one cent more would exceed the limit.
    expect(march).toMatchObject({
      subtotal_cents: 1_905,
      total_cents: 2_000,
      limit_cut_cents: 5_800 - 1_905,
    });
    // Late usage of a month with a limit is not billed.
    await countUsage(
      app,
      [usageRow(context.organization.id, { siteId: 'blog' }, { bytes_sent: 100 * GB })],
      APRIL - DAY_MS,
    );
    travelTo(app, Date.UTC(2026, 4, 2));
    await runMonthEnd(app);
    expect((await listInvoices(context))[0]).toMatchObject({ billing_month: 4, adjustments: [] });
  });

  it('undoes nothing of what was spent before it was set', async () => {
    const { app, context, use } = await prepare();
    await use(100);
    const [limit] = await setSpendingLimit(context, {
      scope: 'organization',
      amount_cents: 0,
      action: 'stop',
    });
    expect(limit).toMatchObject({ spent_cents: 1_890, cap_cents: 1_890, is_stopped: true });
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([
      { billing_month: 3, total_cents: 1_890, limit_cut_cents: 0 },
    ]);
    travelTo(app, Date.UTC(2026, 4, 2));
    await runMonthEnd(app);
    expect((await listInvoices(context))[0]).toMatchObject({
      billing_month: 4,
      status: 'paid',
      total_cents: 0,
    });
  });

  it('applies to a past month as it was then, whatever is set before the month closes', async () => {
    const { app, context, use } = await prepare();
    const set = (amount_cents: number) =>
      setSpendingLimit(context, { scope: 'organization', amount_cents, action: 'stop' });
    await set(2_000);
    await use(500);
    travelTo(app, APRIL + DAY_MS / 2);
    await set(1);
    const [limit] = await set(900_000);
    await removeSpendingLimit(context, { limit_id: limit?.id ?? '' });
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([{ billing_month: 3, total_cents: 2_000 }]);
  });

  it('set after the end of a month removes nothing from it', async () => {
    const { app, context, use } = await prepare();
    await use(100);
    travelTo(app, APRIL + DAY_MS / 2);
    await setSpendingLimit(context, { scope: 'organization', amount_cents: 1, action: 'stop' });
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    expect(await listInvoices(context)).toMatchObject([
      { billing_month: 3, total_cents: 1_890, limit_cut_cents: 0 },
    ]);
  });

  it('can be set by the owner, on the organization’s own resources', async () => {
    const { app, context } = await prepare();
    const admin = await joinOrganization(await createTestPerson(app), context.organization.id, 'admin');
    const limit = { scope: 'organization' as const, amount_cents: 1, action: 'stop' as const };
    await expect(setSpendingLimit(admin, limit)).rejects.toMatchObject({ code: 'permission_required' });
    const foreign = setSpendingLimit(context, { ...limit, scope: 'site', resource_id: 'elsewhere' });
    await expect(foreign).rejects.toMatchObject({ code: 'site_not_found' });
    const nameless = setSpendingLimit(context, { ...limit, scope: 'endpoint' });
    await expect(nameless).rejects.toMatchObject({ name: 'ZodError' });
    const unknown = removeSpendingLimit(context, { limit_id: 'unknown' });
    await expect(unknown).rejects.toMatchObject({ code: 'spending_limit_not_found' });
  });
});

import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '#server/durations.ts';
import { createEdge } from '#server/edge/create-edge.ts';
import { pollEdgeChanges } from '#server/jobs/poll-edge-changes.ts';
import type { MeteringOptions } from '#server/metering/start-metering.ts';
import { getCost } from '#server/services/billing/months/get-cost.ts';
import { noteBillingMode } from '#server/services/billing/note-billing-mode.ts';
import { enforceLimits } from '#server/services/billing/spending/enforce-limits.ts';
import { LimitWatch } from '#server/services/billing/spending/limit-watch.ts';
import { setSpendingLimit } from '#server/services/billing/spending/set-spending-limit.ts';
import type { EdgeChange } from '#server/services/edge-changes/edge-changes.ts';
import { createEdgePorts } from '#server/services/serving/edge-ports.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { SANDBOX_BILLING, setUpBilling } from '#tests/support/billing/billing.ts';
import { jobContext } from '#tests/support/billing/billing-month.ts';
import { askEdge } from '#tests/support/client/ask-edge.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { startTestMetering } from '#tests/support/usage/metering-world.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const FILE_BYTES = 8 * 2 ** 20;
/** Half a cent of bandwidth is 51.2 MB. */
const VISITS = 8;

/** Starts an edge like a separate process: with its own memory, its own counts, and changes by polling. */
async function startEdge(app: TestApp, options: MeteringOptions = {}) {
  const limits = new LimitWatch({
    app,
    pending: () => metering.pending(),
    isSending: () => metering.isSending(),
    forget: (change) => forget(change),
  });
  const metering = await startTestMetering(app, {
    ...options,
    onTaken: (rows) => limits.note(rows.map(({ organization_id }) => organization_id)),
  });
  const ports = createEdgePorts(app, metering.meterOf, (id, resources) => limits.isStopped(id, resources));
  const edge = createEdge({ ports, logger: app.logger });
  const forget = ({ site_id, hostname }: EdgeChange) => {
    if (site_id) edge.invalidateSite(site_id);
    if (hostname) edge.invalidateHost(hostname);
  };
  cleanups.push(await pollEdgeChanges(app, forget, 20));
  await new Promise<void>((resolve) => edge.server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => edge.close());
  // A listening server has an address and a port.
  const { port } = edge.server.address() as AddressInfo;
  const ask = (label: string, path = '/') => askEdge(port, `${label}.sites.localhost`, path);
  return Object.assign(ask, { look: () => limits.look() });
}

/** Two sites with a page and a large file; the first one is one cent of traffic away from its limit. */
async function prepare() {
  const app = await createTestApp({ environment: SANDBOX_BILLING });
  await noteBillingMode(app.db, app.config, app.clock.now() - DAY_MS);
  const { context } = await createTestPerson(app);
  await setUpBilling(context);
  const blog = await createSite(context, { name: 'blog' });
  const shop = await createSite(context, { name: 'shop' });
  const files = { 'index.html': 'here', 'large.bin': 'x'.repeat(FILE_BYTES) };
  for (const { id } of [blog, shop]) await deployTestFiles(context, id, files);
  const limit = (amount_cents: number) =>
    setSpendingLimit(context, { scope: 'site', resource_id: blog.id, amount_cents, action: 'stop' });
  // The site itself is $3.00.
  await limit(301);
  return { app, context, blog, limit };
}

it('traffic through one edge stops a site at every edge, and nothing else, and the bill ends at the limit', async () => {
  const { app, context, limit } = await prepare();
  const edges = [await startEdge(app), await startEdge(app)] as const;
  for (const ask of edges) expect((await ask('blog')).status).toBe(200);
  for (let visit = 0; visit < VISITS; visit += 1)
    expect((await edges[0]('blog', '/large.bin')).status).toBe(200);

  const statuses = async () => {
    await enforceLimits(jobContext(app));
    return Promise.all(edges.flatMap((ask) => [ask('blog'), ask('shop')]));
  };
  const stopped = await pollUntil(
    statuses,
    (responses) => responses[0]?.status === 503 && responses[2]?.status === 503,
  );
  expect(stopped.map(({ status }) => status)).toEqual([503, 200, 503, 200]);
  const spent = async () => (await getCost(context)).bandwidth_bytes;
  const atTheStop = await spent();
  for (const ask of edges) expect((await ask('blog', '/large.bin')).status).toBe(503);
  await pollUntil(
    () =>
      app.db.selectFrom('usage_days').select('refused_requests').where('refused_requests', '>', 0).execute(),
    (rows) => rows.length > 0,
  );
  // What was refused is billed to no one; only the other site's pages have grown.
  expect((await spent()) - atTheStop).toBeLessThan(FILE_BYTES);
  const cost = await getCost(context);
  expect(cost.site_cents + cost.bandwidth_cents + cost.request_cents).toBe(301 + 300);

  await limit(5_000);
  const served = await pollUntil(statuses, (responses) => responses.every(({ status }) => status === 200));
  expect(served).toHaveLength(4);
});

describe('with no running job', () => {
  const untilStopped = (edges: readonly Awaited<ReturnType<typeof startEdge>>[]) =>
    pollUntil(
      async () => {
        for (const edge of edges) await edge.look();
        return Promise.all(edges.flatMap((ask) => [ask('blog'), ask('shop')]));
      },
      (responses) => responses.every(({ status }, index) => status === (index % 2 === 0 ? 503 : 200)),
    );

  it('every edge stops a site at its limit on its own, and serves it again when the limit is raised', async () => {
    const { app, limit } = await prepare();
    const edges = [await startEdge(app), await startEdge(app)] as const;
    for (const ask of edges) expect((await ask('blog')).status).toBe(200);
    for (let visit = 0; visit < VISITS; visit += 1) await edges[0]('blog', '/large.bin');
    await untilStopped(edges);
    expect(await app.db.selectFrom('spending_stops').selectAll().execute()).toEqual([]);
    await limit(5_000);
    for (const edge of edges) await edge.look();
    for (const ask of edges) expect((await ask('blog')).status).toBe(200);
  });

  it('a stopped site stays stopped while the usage that stopped it is on its way to the database', async () => {
    const { app, context, blog, limit } = await prepare();
    const series = {
      organization_id: context.organization.id,
      endpoint_id: null,
      site_id: blog.id,
      bytes: VISITS * FILE_BYTES,
      requests: VISITS,
    };
    let now = { pending: [series], isSending: false };
    const limits = new LimitWatch({
      app,
      pending: () => now.pending,
      isSending: () => now.isSending,
      forget: () => undefined,
    });
    limits.note([context.organization.id]);
    const isStoppedWhen = async (state: typeof now) => {
      now = state;
      await limits.look();
      return limits.isStopped(context.organization.id, [blog.id]);
    };
    expect(await isStoppedWhen({ pending: [series], isSending: false })).toBe(true);
    expect(await isStoppedWhen({ pending: [], isSending: true })).toBe(true);
    await limit(5_000);
    expect(await isStoppedWhen({ pending: [], isSending: true })).toBe(false);
    await limit(301);
    limits.note([context.organization.id]);
    expect(await isStoppedWhen({ pending: [series], isSending: false })).toBe(true);
    expect(await isStoppedWhen({ pending: [], isSending: false })).toBe(false);
  });

  it('an edge whose counts cannot be sent relies on them itself', async () => {
    const { app } = await prepare();
    let tries = 0;
    const away = async () => {
      tries += 1;
      throw new Error('nobody takes usage now');
    };
    const edge = await startEdge(app, { apply: away, stopMs: 0 });
    await edge('blog');
    // What is being sent is not counted until it has arrived: the first visit never arrives.
    await pollUntil(
      async () => tries,
      (some) => some > 0,
    );
    for (let visit = 0; visit < VISITS; visit += 1) await edge('blog', '/large.bin');
    await untilStopped([edge]);
    expect(await app.db.selectFrom('usage_days').selectAll().execute()).toEqual([]);
  });
});

import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { type SteadyLoad, startSteadyLoad } from '#tests/support/client/steady-load.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { startPostgres } from '#tests/support/runner/postgres-server.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { type DatabaseProxy, startDatabaseProxy } from '#tests/support/server/database-proxy.ts';
import { batchesIn, type EdgeNode, requestsIn, startEdgeNode } from '#tests/support/server/edge-node.ts';
import { createMeteredWorld, type MeteredWorld } from '#tests/support/usage/metered-sites.ts';
import {
  ANSWER,
  countedOf,
  newSeries,
  spoolFolder,
  startTestMetering,
} from '#tests/support/usage/metering-world.ts';

let postgres: { url: string; stop(): Promise<void> };
let proxy: DatabaseProxy;
let folder: string;
let world: MeteredWorld;
const nodes: EdgeNode[] = [];
let databases = 0;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  databases += 1;
  const name = `metering_${databases}`;
  const admin = openDatabase(postgres.url);
  await sql`create database ${sql.id(name)}`.execute(admin);
  await admin.destroy();
  const url = postgres.url.replace(/\/postgres$/, `/${name}`);
  folder = await spoolFolder();
  proxy = await startDatabaseProxy(url);
  world = await createMeteredWorld(folder, url);
});
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.kill();
  await proxy.close();
});

/** Starts edges that reach the database through the proxy; each has its own disk. */
async function startNodes(count: number): Promise<EdgeNode[]> {
  const environment = { ...world.environment, DATABASE_URL: proxy.url };
  for (let number = 0; number < count; number += 1) {
    nodes.push(await startEdgeNode(join(folder, `node-${number}`), environment));
  }
  return nodes;
}

const spoolOf = (node: EdgeNode) => join(node.dataDir, 'usage-spool');
const answeredOf = (load: SteadyLoad) =>
  [...load.asked.values()].reduce((sum, { answered }) => sum + answered, 0);
const counted = () => countedOf(world.app.db, world.context.organization.id);

/** Waits until this many more requests were served, so that a test depends on work and not on time. */
function answered(load: SteadyLoad, more: number): Promise<number> {
  const goal = answeredOf(load) + more;
  return pollUntil(
    async () => answeredOf(load),
    (sum) => sum >= goal,
  );
}

it('two edges on one database: the sum of both is exact, even when stopped in the middle of their batches', async () => {
  const [site, other] = await world.createSites(2);
  const both = await startNodes(2);
  const load = startSteadyLoad(both, site?.host ?? '');
  await answered(load, 300);
  load.turnTo(other?.host ?? '');
  await answered(load, 300);
  await load.stop();
  expect(await Promise.all(both.map((node) => node.stop()))).toEqual([0, 0]);
  expect((await counted()).requests).toBe(answeredOf(load));
  const runs = await world.app.db.selectFrom('usage_cursors').select(['node_id', 'boot_id']).execute();
  expect(new Set(runs.map(({ node_id }) => node_id)).size).toBe(2);
});

it('a database that goes away under load loses nothing, and neither does a crash meanwhile', async () => {
  const [site] = await world.createSites(1);
  const [node] = await startNodes(1);
  if (!node || !site) throw new Error('there is no edge');
  const load = startSteadyLoad([node], site.host);
  await pollUntil(counted, ({ requests }) => requests > 0);
  await proxy.goAway();
  // The edge continues to serve what it knows, and writes down what it counts.
  await answered(load, 500);
  await load.stop();
  const total = answeredOf(load);
  const { requests } = await counted();
  expect(requests).toBeLessThan(total);
  const waiting = await pollUntil(
    () => batchesIn(spoolOf(node)),
    (batches) => requests + requestsIn(batches) >= total,
  );
  expect(requests + requestsIn(waiting)).toBe(total);
  expect(waiting.length).toBeLessThanOrEqual(3);
  await node.kill();
  await proxy.comeBack();
  await node.start();
  await pollUntil(counted, (now) => now.requests >= total);
  const again = startSteadyLoad([node], site.host);
  await answered(again, 100);
  await again.stop();
  expect(await node.stop()).toBe(0);
  expect((await counted()).requests).toBe(total + answeredOf(again));
  expect(await batchesIn(spoolOf(node))).toEqual([]);
});

it('connections that break before and after their commit: nothing is counted twice or lost', async () => {
  const random = seededRandom(21);
  const through = await createTestApp({ environment: { ...world.environment, DATABASE_URL: proxy.url } });
  const pace = { retryMs: 5, retryMsMax: 20, restFactor: 0 };
  const metering = await startTestMetering(through, { folder, pace });
  const series = { ...newSeries(), organizationId: world.context.organization.id };
  const meter = metering.meterOf(series);
  const faults = { pass: 0, before: 0, after: 0 };
  proxy.onCommit = () => {
    const chosen = (['pass', 'before', 'after', 'after'] as const)[random.below(4)] ?? 'pass';
    faults[chosen] += 1;
    return chosen;
  };
  let served = 0;
  const serve = async () => {
    meter?.count(ANSWER, 10);
    served += 1;
    return faults;
  };
  await pollUntil(serve, ({ before, after, pass }) => before >= 10 && after >= 20 && pass >= 10, 1_200);
  proxy.onCommit = () => 'pass';
  await metering.stop();
  expect(await counted()).toMatchObject({ requests: served, bytes: served * 10 });
  expect(await batchesIn(folder)).toEqual([]);
});

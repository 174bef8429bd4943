import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Db, openDatabase } from '#db/client.ts';
import { migrateToLatest } from '#db/migrate.ts';
import { loadConfig } from '#server/config/config.ts';
import { ensureConsoleBuild } from '#server/console/page-build/build-console.ts';
import type { App, OrganizationContext } from '#server/context.ts';
import { createApp } from '#server/create-app.ts';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { newId } from '#server/ids.ts';
import { createLogger } from '#server/logging/logger.ts';
import { applyUsageBatch } from '#server/services/usage/apply-usage-batch.ts';
import { getUsageOverview } from '#server/services/usage/get-usage-overview.ts';
import { getUsageStats } from '#server/services/usage/get-usage-stats.ts';
import { formatDay, hourOf } from '#server/services/usage/rules.ts';
import type { UsageBatch } from '#server/services/usage/schema.ts';
import { registerAndSignIn } from '#tests/support/client/sign-in.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { startPostgres } from '#tests/support/runner/postgres-server.ts';
import { startServer } from '#tests/support/server/test-server.ts';
import { organizationOf } from './bench-console.ts';
import { type BenchResult, percentile } from './bench-result.ts';
import { load } from './http-load.ts';
import { adoptUsage, DAYS, ENDPOINTS, seedUsage, type UsageWorld } from './seed-usage.ts';

const HOURS = 10_000_000;
const RUNS = 40;
const WARMING_RUNS = 4;
const SECONDS = 4;
/** Of 90 days of 200 endpoints. */
const TARGETS = { SQLite: '< 100 ms', PostgreSQL: '< 150 ms' };

/** Usage statistics in an installation with ten million rows of hours, on both databases. */
export async function benchUsage(hours = HOURS): Promise<BenchResult[]> {
  await ensureConsoleBuild(process.cwd(), createLogger('warn'));
  const folder = await mkdtemp(join(tmpdir(), 'portage-usage-'));
  try {
    const embedded = await benchOn('SQLite', `sqlite:${join(folder, 'portage.sqlite')}`, hours);
    // Frees what the first one used before the second one needs as much.
    await removeFolder(folder);
    const postgres = await startPostgres();
    try {
      return [...embedded, ...(await benchOn('PostgreSQL', postgres.url, hours))];
    } finally {
      await postgres.stop();
    }
  } finally {
    await removeFolder(folder);
  }
}

async function benchOn(
  engine: keyof typeof TARGETS,
  databaseUrl: string,
  hours: number,
): Promise<BenchResult[]> {
  const db = openDatabase(databaseUrl);
  const results: BenchResult[] = [];
  const target = TARGETS[engine];
  const add = (name: string, value: number, unit: string, target?: string) =>
    results.push({ name: `usage ${engine}: ${name}`, value, unit, ...(target && { target }) });
  const addTimes = (name: string, times: readonly number[], target?: string) => {
    add(`${name}, median`, percentile(times, 0.5), 'ms');
    add(`${name}, p95`, percentile(times, 0.95), 'ms', target);
  };
  let world: UsageWorld;
  try {
    await migrateToLatest(db);
    const startedAt = performance.now();
    world = await seedUsage(db, Date.now(), hours);
    add('hours in the table', world.hours, 'rows');
    add('filling it', (performance.now() - startedAt) / 1000, 's');
  } finally {
    await db.destroy();
  }
  const server = await startServer({
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
    API_REQUESTS_PER_MINUTE: '1000000000',
    CHANGES_PER_HOUR: '1000000000',
  });
  try {
    const person = await registerAndSignIn(server.consoleUrl);
    const organizationId = organizationOf(person);
    const app = await openApp(server.environment);
    try {
      await adoptUsage(app.db, world, organizationId);
      await benchVerbs(app, { ...world, organizationId }, addTimes, target);
    } finally {
      await app.db.destroy();
    }
    const headers = { cookie: person.cookie };
    const { start_date, end_date } = lastDays(DAYS);
    const range = { organization_id: organizationId, start_date, end_date };
    const input = encodeURIComponent(JSON.stringify({ json: range }));
    const dates = `start_date=${start_date}&end_date=${end_date}`;
    const addresses = [
      ['statistics over REST', `/api/v1/usage/stats?${dates}`, target],
      ['statistics over tRPC', `/api/trpc/usage.stats?input=${input}`, target],
      ['CSV over REST', `/api/v1/usage/stats.csv?${dates}`, undefined],
    ] as const;
    for (const [name, address, within] of addresses) {
      const { latenciesMs, failures } = await load({ url: server.consoleUrl + address, headers }, 1, SECONDS);
      if (failures > 0) throw new Error(`${address} was not answered`);
      addTimes(name, latenciesMs, within);
    }
  } finally {
    await server.close();
  }
  return results;
}

async function benchVerbs(
  app: App,
  world: UsageWorld,
  addTimes: (name: string, times: readonly number[], target?: string) => void,
  target: string,
): Promise<void> {
  const context = contextOf(app, world.organizationId);
  await requireSums(app.db, world);
  const whole = lastDays(DAYS);
  const { usage } = await getUsageStats(context, whole);
  if (usage.length !== DAYS * ENDPOINTS) throw new Error(`statistics have ${usage.length} rows`);
  addTimes('statistics', await time(() => getUsageStats(context, whole)), target);
  addTimes('overview of 90 days', await time(() => getUsageOverview(context, whole)));
  addTimes('overview of the month', await time(() => getUsageOverview(context, { period: 'month' })));
  const one = { cdn_endpoint_id: world.endpointIds[Math.floor(ENDPOINTS / 2)] ?? '' };
  addTimes('overview of an endpoint, 30 days', await time(() => getUsageOverview(context, one)));
  const batches = batchesOf(world);
  addTimes('batch of 200 endpoints', await time(() => applyUsageBatch(app, batches())));
}

/** Milliseconds of each run, after some uncounted ones. */
async function time(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let run = -WARMING_RUNS; run < RUNS; run += 1) {
    const startedAt = performance.now();
    await work();
    if (run >= 0) times.push(performance.now() - startedAt);
  }
  return times;
}

/** Days and hours were written separately: both must agree. */
async function requireSums(db: Db, { organizationId }: UsageWorld): Promise<void> {
  const since = Date.parse(lastDays(DAYS).start_date);
  const { rows } = await sql<{ days: number; hours: number }>`
    select
      (select sum(bytes_sent) from usage_days join usage_series on id = series_id
        where organization_id = ${organizationId} and day >= ${since}) as days,
      (select sum(bytes_sent) from usage_hours join usage_series on id = series_id
        where organization_id = ${organizationId} and hour >= ${since}) as hours`.execute(db);
  const sums = rows[0];
  if (!sums || sums.days !== sums.hours) throw new Error(`the sums differ: ${JSON.stringify(sums)}`);
}

/**
 * Returns a maker of the batches that a node sends every two seconds, for the organization's endpoints, now.
 */
function batchesOf({ organizationId, endpointIds, siteId }: UsageWorld): () => UsageBatch {
  const run = { node_id: 'bench', boot_id: newId(), hour: hourOf(Date.now()) - HOUR_MS };
  const counters = {
    bytes_sent: 213_120,
    requests: 10,
    cache_hits: 9,
    cache_misses: 1,
    status_2xx: 7,
    status_3xx: 1,
    status_4xx: 1,
    status_5xx: 1,
    refused_requests: 0,
    refused_bytes: 0,
  };
  const whose = { organization_id: organizationId, site_id: siteId };
  const rows = endpointIds.map((id) => ({ ...whose, endpoint_id: id, ...counters, paths: [] }));
  let sequence = 0;
  return () => {
    sequence += 1;
    return { ...run, sequence, rows };
  };
}

async function openApp(environment: Record<string, string>): Promise<App> {
  const config = loadConfig({ ...environment, LOG_LEVEL: 'silent', BILLING_MODE: 'off' });
  return createApp(config, openDatabase(config.databaseUrl), createLogger('silent'));
}

function contextOf(app: App, organizationId: string): OrganizationContext {
  return {
    app,
    actor: { kind: 'person', userId: 'bench', login: 'bench', sessionId: 'bench', organizationId },
    requestId: 'bench',
    address: '127.0.0.1',
    organization: { id: organizationId, permission: 'owner', features: [], isSuspended: false },
  };
}

function lastDays(days: number): { start_date: string; end_date: string } {
  const now = Date.now();
  return { start_date: formatDay(now - (days - 1) * DAY_MS), end_date: formatDay(now) };
}

if (import.meta.main) {
  for (const { name, value, unit } of await benchUsage(Number(process.argv[2] ?? HOURS))) {
    process.stdout.write(`${name}: ${value.toFixed(1)} ${unit}\n`);
  }
}

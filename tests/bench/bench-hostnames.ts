import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openDatabase } from '#db/client.ts';
import { migrateToLatest } from '#db/migrate.ts';
import { loadConfig } from '#server/config/config.ts';
import { createApp } from '#server/create-app.ts';
import { createLogger } from '#server/logging/logger.ts';
import { createEdgePorts } from '#server/services/serving/edge-ports.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { startPostgres } from '#tests/support/runner/postgres-server.ts';
import { type BenchResult, formatResults, percentile } from './bench-result.ts';
import { fillHostnames, hostnameAt } from './fill-hostnames.ts';

const ENDPOINTS = 1_000_000;
const LOOK_UPS = 20_000;

/**
 * The time the edge takes to look up a new hostname, among a million, on both databases; on PostgreSQL
 * compared with a statement that only makes the round trip.
 */
export async function benchHostnames(endpoints = ENDPOINTS): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portage-hostnames-'));
  try {
    const embedded = await benchOn('SQLite', folder, `sqlite:${join(folder, 'portage.sqlite')}`, endpoints);
    const postgres = await startPostgres();
    try {
      return [...embedded, ...(await benchOn('PostgreSQL', folder, postgres.url, endpoints))];
    } finally {
      await postgres.stop();
    }
  } finally {
    await removeFolder(folder);
  }
}

async function benchOn(
  engine: 'SQLite' | 'PostgreSQL',
  folder: string,
  databaseUrl: string,
  endpoints: number,
): Promise<BenchResult[]> {
  const config = loadConfig({
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'silent',
    BILLING_MODE: 'off',
  });
  const db = openDatabase(databaseUrl);
  try {
    await migrateToLatest(db);
    await fillHostnames(databaseUrl, endpoints);
    const ports = createEdgePorts(await createApp(config, db, createLogger('silent')));
    // Integers that visit every endpoint in an order that no cache benefits from.
    const stride = 611_953;
    const known = Array.from({ length: LOOK_UPS }, (_, at) => hostnameAt((at * stride) % endpoints));
    const unknown = known.map((name) => `not-${name}`);
    await time(known.slice(0, 500).toReversed(), ports.resolveHost);
    const found = await time(known, ports.resolveHost);
    const missed = await time(unknown, ports.resolveHost);
    if (found.found !== LOOK_UPS || missed.found !== 0) throw new Error('the wrong hostnames were found');
    const travel = await time(known, () => sql`select 1`.execute(db));
    const median = (name: string, value: number): BenchResult => ({
      name: `${engine}: hostname ${name}, median`,
      value,
      unit: 'µs',
      ...(engine === 'SQLite'
        ? { target: '< 50 µs' }
        : { peer: 'select 1', peerValue: travel.median, ratio: value / travel.median }),
    });
    const among = 'never seen, among a million';
    return [
      median(among, found.median),
      { name: `${engine}: hostname ${among}, p99`, value: percentile(found.times, 0.99), unit: 'µs' },
      median('that nobody has', missed.median),
    ];
  } finally {
    await db.destroy();
  }
}

async function time(names: readonly string[], look: (name: string) => Promise<unknown>) {
  const times: number[] = [];
  let found = 0;
  for (const name of names) {
    const startedAt = performance.now();
    if ((await look(name)) !== null) found += 1;
    times.push((performance.now() - startedAt) * 1000);
  }
  return { times, found, median: percentile(times, 0.5) };
}

if (import.meta.main) {
  process.stdout.write(`${formatResults(await benchHostnames())}\n`);
}

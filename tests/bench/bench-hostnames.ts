import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { openDatabase } from '#db/client.ts';
import { migrateToLatest } from '#db/migrate.ts';
import { loadConfig } from '#server/config.ts';
import { createApp } from '#server/create-app.ts';
import { createLogger } from '#server/logger.ts';
import { createEdgePorts } from '#server/services/deployments/edge-ports.ts';
import { type BenchResult, percentile } from './bench-result.ts';

const ENDPOINTS = 1_000_000;
const SITES = 1_000;
const LOOK_UPS = 20_000;

/** The time the edge takes to find out what a hostname is that it has never seen, among a million in the embedded database. */
export async function benchHostnames(endpoints = ENDPOINTS): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portage-hostnames-'));
  const path = join(folder, 'portage.sqlite');
  const config = loadConfig({ DATA_DIR: folder, DATABASE_URL: `sqlite:${path}`, LOG_LEVEL: 'silent' });
  const db = openDatabase(config.databaseUrl);
  try {
    await migrateToLatest(db);
    fill(path, endpoints);
    const ports = createEdgePorts(await createApp(config, db, createLogger('silent')));
    // Whole numbers that visit every endpoint in an order of no use to any cache.
    const stride = 611_953;
    const known = Array.from({ length: LOOK_UPS }, (_, at) => hostname((at * stride) % endpoints));
    const unknown = known.map((name) => `not-${name}`);
    await time(known.slice(0, 500).toReversed(), ports.resolveHost);
    const found = await time(known, ports.resolveHost);
    const missed = await time(unknown, ports.resolveHost);
    if (found.found !== LOOK_UPS || missed.found !== 0) throw new Error('the wrong hostnames were found');
    return [
      result('hostname never seen, among a million, median', found.median, '< 50 µs'),
      result('hostname never seen, among a million, p99', percentile(found.times, 0.99)),
      result('hostname that nobody has, median', missed.median, '< 50 µs'),
    ];
  } finally {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  }
}

function result(name: string, value: number, target?: string): BenchResult {
  return { name, value, unit: 'µs', ...(target === undefined ? {} : { target }) };
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

/** As hostnames are: of different lengths, in no order. */
function hostname(index: number): string {
  const mixed = Math.imul(index + 1, 2_654_435_761) >>> 0;
  return `${mixed.toString(36)}.customer-${index}.example.ca`;
}

/** Rows straight into the file: a million verbs would take an hour. */
function fill(path: string, endpoints: number): void {
  const database = new SqliteDatabase(path);
  database.pragma('synchronous = OFF');
  database.pragma('foreign_keys = OFF');
  database.pragma('cache_size = -600000');
  database.exec('begin');
  database
    .prepare(
      `insert into organizations (id, external_id, name, features, created_at, updated_at)
       values ('o', 'org-1', 'Bench', '[]', 0, 0)`,
    )
    .run();
  const addSite = database.prepare(
    `insert into sites (id, organization_id, name, name_key, subdomain, spa_fallback, created_at, updated_at)
     values (?, 'o', ?, ?, ?, 0, 0, 0)`,
  );
  for (let site = 0; site < SITES; site += 1) {
    const name = `site-${site}`;
    addSite.run(`s${site}`, name, name, name);
  }
  const addEndpoint = database.prepare(
    `insert into cdn_endpoints
       (id, organization_id, hostname, cname_target, origin_type, site_id, proven_at, created_at, updated_at)
     values (?, 'o', ?, ?, 'site', ?, 1, 0, 0)`,
  );
  const addBundle = database.prepare(
    `insert into certificate_bundles
       (id, organization_id, endpoint_id, domain_name, dns_challenge_id, next_check_at, certificate,
        private_key_sealed, issued_at, valid_until, attempts, created_at, updated_at)
     values (?, 'o', ?, ?, ?, 0, ?, ?, 0, 9999999999999, 0, 0, 0)`,
  );
  // One in ten has a certificate of the usual size, so that its pages are not all neighbours.
  const chain = randomBytes(1_500).toString('base64');
  // In the order of the names, which is the quickest to write; they are looked up in another one.
  const names = Array.from({ length: endpoints }, (_, index) => hostname(index)).toSorted();
  for (const [index, name] of names.entries()) {
    const id = index.toString(36).padStart(26, '0');
    addEndpoint.run(id, name, `${id}.edge.localhost`, `s${index % SITES}`);
    const hasChain = index % 10 === 0;
    addBundle.run(id, id, name, id, hasChain ? chain : null, hasChain ? 'sealed' : null);
  }
  database.exec('commit');
  database.pragma('wal_checkpoint(truncate)');
  database.close();
}

if (import.meta.main) {
  for (const { name, value, unit } of await benchHostnames()) {
    process.stdout.write(`${name}: ${value.toFixed(1)} ${unit}\n`);
  }
}

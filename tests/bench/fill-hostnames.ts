import { randomBytes } from 'node:crypto';
import SqliteDatabase from 'better-sqlite3';
import pg from 'pg';

const SITES = 1_000;
/** Endpoints per statement on PostgreSQL. */
const ENDPOINTS_AT_ONCE = 20_000;

const ORGANIZATION = `
  insert into organizations (id, external_id, name, features, created_at, updated_at)
  values ('o', 'org-1', 'Bench', '[]', 0, 0)`;
const SITE_COLUMNS = 'id, organization_id, name, name_key, subdomain, spa_fallback, created_at, updated_at';
const ENDPOINT_COLUMNS =
  'id, organization_id, hostname, cname_target, origin_type, site_id, proven_at, created_at, updated_at';
const BUNDLE_COLUMNS = `id, organization_id, endpoint_id, domain_name, dns_challenge_id, next_check_at, certificate,
  private_key_sealed, issued_at, valid_until, attempts, created_at, updated_at`;
/** One in ten has a certificate of the usual size, so that not all rows are adjacent. */
const CHAIN_EVERY = 10;
const chain = randomBytes(1_500).toString('base64');

/** Like real hostnames: of different lengths, in no order. */
export function hostnameAt(index: number): string {
  const mixed = Math.imul(index + 1, 2_654_435_761) >>> 0;
  return `${mixed.toString(36)}.customer-${index}.example.ca`;
}

/** Fills a migrated database with endpoints of {@link hostnameAt}: a million calls would take an hour. */
export async function fillHostnames(databaseUrl: string, endpoints: number): Promise<void> {
  // Ordered by name, which is the fastest to write; they are looked up in another order.
  const names = Array.from({ length: endpoints }, (_, index) => hostnameAt(index)).toSorted();
  if (databaseUrl.startsWith('sqlite:')) fillSqlite(databaseUrl.slice('sqlite:'.length), names);
  else await fillPostgres(databaseUrl, names);
}

function idAt(index: number): string {
  return index.toString(36).padStart(26, '0');
}

function fillSqlite(path: string, names: readonly string[]): void {
  const database = new SqliteDatabase(path);
  database.pragma('synchronous = OFF');
  database.pragma('foreign_keys = OFF');
  database.pragma('cache_size = -600000');
  database.exec('begin');
  database.exec(ORGANIZATION);
  const addSite = database.prepare(`insert into sites (${SITE_COLUMNS}) values (?, 'o', ?, ?, ?, 0, 0, 0)`);
  for (let site = 0; site < SITES; site += 1) {
    const name = `site-${site}`;
    addSite.run(`s${site}`, name, name, name);
  }
  const addEndpoint = database.prepare(
    `insert into cdn_endpoints (${ENDPOINT_COLUMNS}) values (?, 'o', ?, ?, 'site', ?, 1, 0, 0)`,
  );
  const insertBundle = database.prepare(
    `insert into certificate_bundles (${BUNDLE_COLUMNS}) values (?, 'o', ?, ?, ?, 0, ?, ?, 0, 9999999999999, 0, 0, 0)`,
  );
  for (const [index, name] of names.entries()) {
    const id = idAt(index);
    addEndpoint.run(id, name, `${id}.edge.localhost`, `s${index % SITES}`);
    const hasChain = index % CHAIN_EVERY === 0;
    insertBundle.run(id, id, name, id, hasChain ? chain : null, hasChain ? 'sealed' : null);
  }
  database.exec('commit');
  database.pragma('wal_checkpoint(truncate)');
  database.close();
}

async function fillPostgres(url: string, names: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set synchronous_commit = off');
    await client.query(ORGANIZATION);
    await client.query(
      `insert into sites (${SITE_COLUMNS})
       select 's' || number, 'o', 'site-' || number, 'site-' || number, 'site-' || number, 0, 0, 0
       from generate_series(0, ${SITES - 1}) as number`,
    );
    for (let from = 0; from < names.length; from += ENDPOINTS_AT_ONCE) {
      const some = names.slice(from, from + ENDPOINTS_AT_ONCE);
      const ids = some.map((_, at) => idAt(from + at));
      await client.query(
        `insert into cdn_endpoints (${ENDPOINT_COLUMNS})
         select id, 'o', name, id || '.edge.localhost', 'site', 's' || (number + $3) % ${SITES}, 1, 0, 0
         from unnest($1::text[], $2::text[]) with ordinality as rows(id, name, number)`,
        [ids, some, from],
      );
      await client.query(
        `insert into certificate_bundles (${BUNDLE_COLUMNS})
         select id, 'o', id, name, id, 0, case when number % ${CHAIN_EVERY} = 0 then $3 end,
           case when number % ${CHAIN_EVERY} = 0 then 'sealed' end, 0, 9999999999999, 0, 0, 0
         from unnest($1::text[], $2::text[]) with ordinality as rows(id, name, number)`,
        [ids, some, chain],
      );
    }
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

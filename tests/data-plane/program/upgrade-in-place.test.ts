import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { migrateTo } from '#db/migrate.ts';
import { MIGRATIONS } from '#db/migrations/index.ts';
import { registerDeployer } from '#tests/support/client/deploy-client.ts';
import { startSteadyLoad } from '#tests/support/client/steady-load.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { ENGINES, startServerOn } from '#tests/support/server/server-on-engine.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The newest migration of the program that is upgraded. */
const BEFORE = '0018-second-factor';

/**
 * Reverts all later migrations: what they added is removed, so that the schema is as the earlier program left
 * it.
 */
async function takeBack(db: Kysely<unknown>, url: string): Promise<string[]> {
  const earlier = await schemaAt(BEFORE);
  for (const { name } of await listIndexes(db, url)) {
    if (!earlier.indexes.has(name)) await db.schema.dropIndex(name).execute();
  }
  for (const { name, columns } of await db.introspection.getTables()) {
    const known = earlier.columns.get(name);
    if (!known) {
      await db.schema.dropTable(name).execute();
      continue;
    }
    const added = columns.map((column) => column.name).filter((column) => !known.has(column));
    for (const column of added) await db.schema.alterTable(name).dropColumn(column).execute();
  }
  const later = Object.keys(MIGRATIONS).filter((name) => name > BEFORE);
  await sql`delete from kysely_migration where name in (${sql.join(later)})`.execute(db);
  return later;
}

/** Returns the columns of each table of a schema, and the names of its indexes. */
async function schemaAt(migration: string) {
  const folder = await mkdtemp(join(tmpdir(), 'portage-earlier-'));
  const url = `sqlite:${join(folder, 'earlier.sqlite')}`;
  const db = openDatabase(url);
  await migrateTo(db, migration);
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const indexes = await listIndexes(db as unknown as Kysely<unknown>, url);
  await db.destroy();
  await rm(folder, { recursive: true });
  return {
    columns: new Map(
      tables.map(({ name, columns }) => [name, new Set(columns.map((column) => column.name))]),
    ),
    indexes: new Set(indexes.map(({ name }) => name)),
  };
}

/** Returns the indexes that migrations have created by name; those of keys belong to their tables. */
async function listIndexes(db: Kysely<unknown>, url: string): Promise<{ name: string }[]> {
  const query = url.startsWith('sqlite:')
    ? sql<{ name: string }>`select name from sqlite_master where type = 'index' and sql is not null`
    : sql<{ name: string }>`select indexname as name from pg_indexes where schemaname = current_schema()
        and indexname not in (select conname from pg_constraint)`;
  return (await query.execute(db)).rows;
}

describe.each(ENGINES)('an upgrade in place on %s', (engine) => {
  it('migrates the schema while the edges keep serving, and not one request fails', async () => {
    const server = await startServerOn(engine, {
      PROCESSES: 'auto',
      EDGE_PROCESSES: '2',
      STOP_GRACE_SECONDS: '1',
    });
    closing.push(() => server.close());
    const deployer = await registerDeployer(server);
    const site = await deployer.createSite('kept');
    await site.deploy({ 'index.html': 'kept' });
    const url = server.environment.DATABASE_URL ?? `sqlite:${server.dataDir}/portage.sqlite`;
    const db = openDatabase(url);
    closing.push(() => db.destroy());
    const load = startSteadyLoad([{ port: server.edgePort }], site.host);
    const later = await takeBack(db as unknown as Kysely<unknown>, url);
    expect(later.length).toBeGreaterThan(1);

    process.kill(server.processId(), 'SIGHUP');
    await pollUntil(
      async () => server.output(),
      (output) => output.includes('every process was replaced'),
      // The processes start one after another.
      1_800,
    );
    expect(server.output()).toContain(`"migrations":${JSON.stringify(later)}`);
    await load.stop();
    expect(load.failures).toEqual([]);
    expect(load.asked.get(site.host)?.answered).toBeGreaterThan(100);
    await site.deploy({ 'index.html': 'newer' });
    // Edges of other processes are told of it right after the deploy.
    await expect.poll(async () => (await server.edge(site.host, '/')).text).toBe('newer');
    expect((await deployer.person('GET', '/api/v1/credentials')).status).toBe(200);
  });
});

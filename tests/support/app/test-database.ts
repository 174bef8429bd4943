import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { inject } from 'vitest';
import { type Db, openDatabase } from '#db/client.ts';
import { migrateToLatest } from '#db/migrate.ts';
import { TEMPLATE_DATABASE } from '../runner/postgres-server.ts';

let sqliteTemplate: Promise<string> | undefined;
/** Connected to the run's PostgreSQL; ends with the worker. */
let postgres: Db | undefined;

/** Migrates one SQLite file per worker; tests copy it. */
async function makeSqliteTemplate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portage-template-'));
  const path = join(folder, 'template.sqlite');
  const db = openDatabase(`sqlite:${path}`);
  await migrateToLatest(db);
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  await db.destroy();
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return path;
}

/** Writes a new migrated SQLite database to a path. */
export async function placeSqliteDatabase(path: string): Promise<void> {
  sqliteTemplate ??= makeSqliteTemplate();
  await copyFile(await sqliteTemplate, path);
}

/**
 * Returns the address of a fresh database of the engine under test (TEST_DATABASE), migrated unless it is to
 * be empty. `drop` removes it.
 */
export async function createTestDatabase({
  isEmpty = false,
}: {
  isEmpty?: boolean;
} = {}): Promise<{ url: string; drop(): Promise<void> }> {
  if (process.env.TEST_DATABASE !== 'postgres') {
    const folder = await mkdtemp(join(tmpdir(), 'portage-test-'));
    const path = join(folder, 'portage.sqlite');
    if (!isEmpty) await placeSqliteDatabase(path);
    return { url: `sqlite:${path}`, drop: () => rm(folder, { recursive: true, force: true }) };
  }
  const serverUrl = inject('postgresUrl');
  postgres ??= openDatabase(serverUrl);
  const admin = postgres;
  const name = `test_${randomBytes(8).toString('hex')}`;
  const template = sql.id(isEmpty ? 'template0' : TEMPLATE_DATABASE);
  await sql`create database ${sql.id(name)} template ${template} strategy file_copy`.execute(admin);
  return {
    url: serverUrl.replace(/\/postgres$/, `/${name}`),
    drop: async () => {
      await sql`drop database ${sql.id(name)} with (force)`.execute(admin);
    },
  };
}

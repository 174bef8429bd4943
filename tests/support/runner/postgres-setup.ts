import { sql } from 'kysely';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '#db/client.ts';
import { migrateToLatest } from '#db/migrate.ts';
import { POSTGRES_TEMPLATES, startPostgres } from './postgres-server.ts';
import { prepareInstallation } from './prepared-installation.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** Databases that live for one test need no protection of their pages, and nobody who tidies them up. */
const BRIEF = ['full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0', 'autovacuum=off'];

/** Starts PostgreSQL once for the run and makes the databases that tests copy. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres(BRIEF);
  const admin = openDatabase(server.url);
  for (const name of Object.values(POSTGRES_TEMPLATES)) {
    await sql`create database ${sql.id(name)}`.execute(admin);
    const db = openDatabase(server.url.replace(/\/postgres$/, `/${name}`));
    await migrateToLatest(db);
    if (name === POSTGRES_TEMPLATES.prepared) await prepareInstallation(db);
    await db.destroy();
  }
  await admin.destroy();
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}

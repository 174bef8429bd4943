import { sql } from 'kysely';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '#db/client.ts';
import { migrateToLatest } from '#db/migrate.ts';
import { startPostgres, TEMPLATE_DATABASE } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** Starts PostgreSQL once for the run and prepares the template. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  const admin = openDatabase(server.url);
  await sql`create database ${sql.id(TEMPLATE_DATABASE)}`.execute(admin);
  await admin.destroy();
  const template = openDatabase(server.url.replace(/\/postgres$/, `/${TEMPLATE_DATABASE}`));
  await migrateToLatest(template);
  await template.destroy();
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}

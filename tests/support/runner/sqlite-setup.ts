import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '#db/client.ts';
import { migrateToLatest } from '#db/migrate.ts';
import { removeFolder } from '../remove-folder.ts';
import { prepareInstallation, type Template } from './prepared-installation.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The files of which tests copy their database. */
    sqliteTemplates: Record<Template, string>;
  }
}

/** Makes the databases of SQLite that tests copy, once for the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'portage-templates-'));
  const migrated = join(folder, 'migrated.sqlite');
  const prepared = join(folder, 'prepared.sqlite');
  for (const path of [migrated, prepared]) {
    const db = openDatabase(`sqlite:${path}`);
    await migrateToLatest(db);
    if (path === prepared) await prepareInstallation(db);
    await sql`pragma wal_checkpoint(truncate)`.execute(db);
    await db.destroy();
  }
  project.provide('sqliteTemplates', { migrated, prepared });
  return () => removeFolder(folder);
}

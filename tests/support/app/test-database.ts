import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { inject } from 'vitest';
import { type Db, openDatabase } from '#db/client.ts';
import { removeFolder } from '../remove-folder.ts';
import { POSTGRES_TEMPLATES } from '../runner/postgres-server.ts';
import type { Template } from '../runner/prepared-installation.ts';

/** Connected to the run's PostgreSQL; ends with the worker. */
let postgres: Db | undefined;

/** Writes a new SQLite database to a path. */
export function placeSqliteDatabase(path: string, template: Template): Promise<void> {
  return copyFile(inject('sqliteTemplates')[template], path);
}

/**
 * Returns the address of a fresh database of the engine under test (TEST_DATABASE), a copy of a template or
 * empty. `drop` removes it.
 */
export async function createTestDatabase(
  template: Template | 'empty' = 'migrated',
): Promise<{ url: string; drop(): Promise<void> }> {
  if (process.env.TEST_DATABASE !== 'postgres') {
    const folder = await mkdtemp(join(tmpdir(), 'portage-test-'));
    const path = join(folder, 'portage.sqlite');
    if (template !== 'empty') await placeSqliteDatabase(path, template);
    return { url: `sqlite:${path}`, drop: () => removeFolder(folder) };
  }
  const serverUrl = inject('postgresUrl');
  postgres ??= openDatabase(serverUrl);
  const admin = postgres;
  const name = `test_${randomBytes(8).toString('hex')}`;
  const source = sql.id(template === 'empty' ? 'template0' : POSTGRES_TEMPLATES[template]);
  await sql`create database ${sql.id(name)} template ${source} strategy file_copy`.execute(admin);
  return {
    url: serverUrl.replace(/\/postgres$/, `/${name}`),
    drop: async () => {
      await sql`drop database ${sql.id(name)} with (force)`.execute(admin);
    },
  };
}

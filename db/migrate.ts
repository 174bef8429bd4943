import { Migrator } from 'kysely/migration';
import { type Db, openDatabase } from './client.ts';
import { MIGRATIONS } from './migrations/index.ts';

/**
 * Migrates the schema to the newest migration, and returns the names of those that were applied. Safe on every start and
 * from several nodes (Kysely takes a lock).
 * @throws the error of the migration that fails; none of this start is applied then, since all are one transaction
 */
export async function migrateToLatest(db: Db): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  return (results ?? []).map((result) => result.migrationName);
}

/**
 * Migrates a database by its address and returns what was applied. A statement that rewrites a large table
 * may take as long as it needs.
 */
export async function migrateDatabase(url: string): Promise<string[]> {
  const db = openDatabase(url, { isPatient: true });
  try {
    return await migrateToLatest(db);
  } finally {
    await db.destroy();
  }
}

/**
 * Migrates an empty database to a given migration, as an older program would have left it.
 * @throws like migrateToLatest
 */
export async function migrateTo(db: Db, migration: string): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateTo(migration);
  if (error) throw error;
}

/** Whether this program has a migration; another one is from a newer program. */
export function hasMigration(name: string): boolean {
  return name in MIGRATIONS;
}

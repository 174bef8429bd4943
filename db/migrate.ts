import { Migrator } from 'kysely/migration';
import { type Db, openDatabase } from './client.ts';
import { MIGRATIONS } from './migrations/index.ts';

/**
 * Brings the schema to the newest migration. Safe on every start and from several nodes (Kysely takes a lock).
 * @throws the first migration's own error; nothing is half-applied, since each runs in a transaction.
 */
export async function migrateToLatest(db: Db): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  return (results ?? []).map((result) => result.migrationName);
}

/** The same for a database by its address, returning what was applied: a statement that rewrites a large table takes as long as it needs. */
export async function migrateDatabase(url: string): Promise<string[]> {
  const db = openDatabase(url, { isPatient: true });
  try {
    return await migrateToLatest(db);
  } finally {
    await db.destroy();
  }
}

/** Brings an empty database to a migration, as an older program would have left it. @throws as migrateToLatest */
export async function migrateTo(db: Db, migration: string): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateTo(migration);
  if (error) throw error;
}

/** Whether this program knows a migration: what it has not seen is of a newer one. */
export function hasMigration(name: string): boolean {
  return name in MIGRATIONS;
}

import { Migrator } from 'kysely/migration';
import type { Db } from './client.ts';
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

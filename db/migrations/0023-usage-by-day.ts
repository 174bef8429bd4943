import type { Kysely } from 'kysely';

/** Days of all series together, for whoever runs the installation. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('usage_days_day').on('usage_days').column('day').execute();
}

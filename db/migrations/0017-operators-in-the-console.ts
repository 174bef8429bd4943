import type { Kysely } from 'kysely';

/** People who run the installation and see its screens in the console. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('users').addColumn('operator_access', 'text').execute();
}

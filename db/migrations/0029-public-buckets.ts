import type { Kysely } from 'kysely';

/** Buckets whose objects anyone may read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('buckets')
    .addColumn('public_read', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}

import { type Kysely, sql } from 'kysely';

/** Buckets that are being emptied, and how far each has got. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter.constructor.name === 'PostgresAdapter';
  await db.schema
    .createTable('bucket_emptyings')
    .addColumn('bucket_id', 'text', (c) => c.primaryKey().references('buckets.id'))
    .addColumn('requested_at', 'bigint', (c) => c.notNull())
    .addColumn('object_total', 'bigint', (c) => c.notNull())
    .addColumn('removed_objects', 'bigint', (c) => c.notNull())
    .addColumn('after_key', isPostgres ? sql`text collate "C"` : sql`text`, (c) => c.notNull())
    .execute();
}

import { type Kysely, sql } from 'kysely';

/** The content of small pieces lies in their rows: one sync of the database's log makes both durable. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter.constructor.name === 'PostgresAdapter';
  await db.schema
    .alterTable('object_pieces')
    .addColumn('content', isPostgres ? sql`bytea` : sql`blob`)
    .execute();
}

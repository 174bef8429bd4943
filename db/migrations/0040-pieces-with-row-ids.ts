import { type Kysely, sql } from 'kysely';

/**
 * Pieces have row ids, and their key is an index. In a table that is ordered by its own key, SQLite compares a key with whole rows: each step of a
 * search reads the page behind a row whose content does not fit beside others, and no two such rows share a page.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // PostgreSQL has no tables that are ordered by their key.
  if (db.getExecutor().adapter.constructor.name === 'PostgresAdapter') return;
  await db.schema
    .createTable('pieces_with_row_ids')
    .addColumn('content_id', 'text', (c) => c.notNull())
    .addColumn('part_number', 'integer', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull().unique())
    .addColumn('bucket_id', 'text', (c) => c.notNull().references('buckets.id'))
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('etag', 'text', (c) => c.notNull())
    .addColumn('checksum', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('content', sql`blob`)
    .addPrimaryKeyConstraint('object_pieces_pk', ['content_id', 'part_number'])
    .execute();
  await sql`insert into pieces_with_row_ids
      (content_id, part_number, id, bucket_id, size, etag, checksum, created_at, content)
    select content_id, part_number, id, bucket_id, size, etag, checksum, created_at, content
    from object_pieces order by content_id, part_number`.execute(db);
  await db.schema.dropTable('object_pieces').execute();
  await db.schema.alterTable('pieces_with_row_ids').renameTo('object_pieces').execute();
}

import { type Kysely, sql } from 'kysely';

/**
 * Changes of buckets have one key, in the order in which they are added up: every write of an object adds one, and each further index
 * is one more page that its commit writes and syncs.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter.constructor.name === 'PostgresAdapter';
  if (isPostgres) {
    await sql`alter table bucket_changes drop constraint bucket_changes_pkey,
      add constraint bucket_changes_pkey primary key (bucket_id, id)`.execute(db);
    await db.schema.dropIndex('bucket_changes_bucket').ifExists().execute();
    return;
  }
  // SQLite cannot change the key of a table.
  await db.schema
    .createTable('compact_bucket_changes')
    .addColumn('bucket_id', 'text', (c) => c.notNull().references('buckets.id'))
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('objects', 'integer', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('changed_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('bucket_changes_pk', ['bucket_id', 'id'])
    .modifyEnd(sql`without rowid`)
    .execute();
  await sql`insert into compact_bucket_changes (bucket_id, id, objects, bytes, changed_at)
    select bucket_id, id, objects, bytes, changed_at from bucket_changes`.execute(db);
  await db.schema.dropTable('bucket_changes').execute();
  await db.schema.alterTable('compact_bucket_changes').renameTo('bucket_changes').execute();
}

import { type Kysely, sql } from 'kysely';

/**
 * Buckets, their objects, uploads in parts, and the pieces of content that both consist of. Keys are listed
 * in the order of their UTF-8 bytes, which is what SQLite compares, and PostgreSQL with the collation "C".
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter.constructor.name === 'PostgresAdapter';
  const keyType = isPostgres ? sql`text collate "C"` : sql`text`;
  const table = (name: string) => db.schema.createTable(name);
  const clustered = (name: string) => (isPostgres ? table(name) : table(name).modifyEnd(sql`without rowid`));

  await table('buckets')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('region', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('status_reason', 'text')
    .addColumn('cors_rules', 'text', (c) => c.notNull())
    .addColumn('object_count', 'bigint', (c) => c.notNull())
    .addColumn('stored_bytes', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('buckets_organization')
    .on('buckets')
    .columns(['organization_id', 'created_at'])
    .execute();
  await db.schema.createIndex('buckets_status').on('buckets').column('status').execute();

  await clustered('objects')
    .addColumn('bucket_id', 'text', (c) => c.notNull().references('buckets.id'))
    .addColumn('key', keyType, (c) => c.notNull())
    .addColumn('content_id', 'text', (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('etag', 'text', (c) => c.notNull())
    .addColumn('headers', 'text', (c) => c.notNull())
    .addColumn('metadata', 'text', (c) => c.notNull())
    .addColumn('tags', 'text', (c) => c.notNull())
    .addColumn('checksum_algorithm', 'text')
    .addColumn('checksum_type', 'text')
    .addColumn('checksum', 'text')
    .addColumn('part_count', 'integer')
    .addColumn('modified_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('objects_pk', ['bucket_id', 'key'])
    .execute();

  await clustered('object_uploads')
    .addColumn('bucket_id', 'text', (c) => c.notNull().references('buckets.id'))
    .addColumn('key', keyType, (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('headers', 'text', (c) => c.notNull())
    .addColumn('metadata', 'text', (c) => c.notNull())
    .addColumn('tags', 'text', (c) => c.notNull())
    .addColumn('checksum_algorithm', 'text')
    .addColumn('checksum_type', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('object_uploads_pk', ['bucket_id', 'key', 'id'])
    .execute();
  await db.schema.createIndex('object_uploads_created').on('object_uploads').column('created_at').execute();

  await clustered('object_pieces')
    .addColumn('content_id', 'text', (c) => c.notNull())
    .addColumn('part_number', 'integer', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull().unique())
    .addColumn('bucket_id', 'text', (c) => c.notNull().references('buckets.id'))
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('etag', 'text', (c) => c.notNull())
    .addColumn('checksum', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('object_pieces_pk', ['content_id', 'part_number'])
    .execute();

  await table('removed_pieces')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('removed_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('removed_pieces_at').on('removed_pieces').column('removed_at').execute();

  await table('bucket_changes')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('bucket_id', 'text', (c) => c.notNull().references('buckets.id'))
    .addColumn('objects', 'integer', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('changed_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('bucket_changes_bucket')
    .on('bucket_changes')
    .columns(['bucket_id', 'changed_at'])
    .execute();
}

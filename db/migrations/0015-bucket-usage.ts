import { type Kysely, sql } from 'kysely';

/** What buckets held and moved, by day. What was stored before is measured from now on. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('bucket_days')
    .addColumn('bucket_id', 'text', (c) => c.notNull())
    .addColumn('day', 'bigint', (c) => c.notNull())
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('bucket_name', 'text', (c) => c.notNull())
    .addColumn('byte_hours', sql`double precision`, (c) => c.notNull())
    .addColumn('requests', 'bigint', (c) => c.notNull())
    .addColumn('bytes_received', 'bigint', (c) => c.notNull())
    .addColumn('bytes_sent', 'bigint', (c) => c.notNull())
    .addColumn('refused_requests', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('bucket_days_pk', ['bucket_id', 'day'])
    .execute();
  await db.schema
    .createIndex('bucket_days_organization')
    .on('bucket_days')
    .columns(['organization_id', 'day'])
    .execute();
  await db.schema
    .alterTable('buckets')
    .addColumn('measured_until', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update buckets set measured_until = ${Date.now()}`.execute(db);
}

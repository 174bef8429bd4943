import type { Kysely } from 'kysely';

/** Who began an upload in parts, and the buckets whose idle ones are being abandoned. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['initiator_kind', 'initiator_id', 'initiator_name']) {
    await db.schema.alterTable('object_uploads').addColumn(name, 'text').execute();
  }
  await db.schema
    .createTable('upload_abandonments')
    .addColumn('bucket_id', 'text', (c) => c.primaryKey().references('buckets.id'))
    .addColumn('requested_at', 'bigint', (c) => c.notNull())
    .addColumn('idle_since', 'bigint', (c) => c.notNull())
    .addColumn('upload_total', 'bigint', (c) => c.notNull())
    .execute();
}

import type { Kysely } from 'kysely';

/** What S3 clients forbid of public access to a bucket. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('buckets').addColumn('public_access_block', 'text').execute();
}

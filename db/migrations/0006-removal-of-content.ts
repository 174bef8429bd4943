import type { Kysely } from 'kysely';

/**
 * When a collector began to remove the bytes of condemned content, which it does outside of any transaction.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('blobs').addColumn('removal_started_at', 'bigint').execute();
}

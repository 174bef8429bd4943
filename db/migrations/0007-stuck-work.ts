import type { Kysely } from 'kysely';

/** What a job could not do, so that it waits and is shown instead of holding up everything behind it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('stuck_work')
    .addColumn('job', 'text', (c) => c.notNull())
    .addColumn('item', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('error', 'text', (c) => c.notNull())
    .addColumn('first_failed_at', 'bigint', (c) => c.notNull())
    .addColumn('failed_at', 'bigint', (c) => c.notNull())
    .addColumn('next_attempt_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('stuck_work_pk', ['job', 'item'])
    .execute();
}

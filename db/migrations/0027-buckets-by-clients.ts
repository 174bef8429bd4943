import type { Kysely } from 'kysely';

/** Credentials that may create and delete buckets, and tags of buckets. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('credentials')
    .addColumn('may_create_buckets', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('buckets')
    .addColumn('tags', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
}

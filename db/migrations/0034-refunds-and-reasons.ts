import type { Kysely } from 'kysely';

/** Where the money of a credit note goes, and its reason in French. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('credit_notes')
    .addColumn('kind', 'text', (c) => c.notNull().defaultTo('credit'))
    .execute();
  await db.schema.alterTable('credit_notes').addColumn('reason_fr', 'text').execute();
}

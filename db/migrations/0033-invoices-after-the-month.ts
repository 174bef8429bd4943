import type { Kysely } from 'kysely';

/** Where a buyer was when the month closed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('invoices').addColumn('tax_place', 'text').execute();
}

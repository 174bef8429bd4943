import type { Kysely } from 'kysely';

/** Rates of invoice lines to the thousandth of a cent, beside those in cents: a price of storage is finer than a cent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('invoice_lines').addColumn('rate_millicents', 'bigint').execute();
}

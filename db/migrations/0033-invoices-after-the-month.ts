import type { Kysely } from 'kysely';

/** Where a buyer was when the month closed, and refunds and disputes of payments. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('invoices').addColumn('tax_place', 'text').execute();
  await db.schema
    .createTable('payment_reversals')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('provider_id', 'text', (c) => c.notNull())
    .addColumn('invoice_id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('amount_cents', 'bigint', (c) => c.notNull())
    .addColumn('reason', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('payment_reversals_pk', ['mode', 'provider_id'])
    .execute();
  await db.schema
    .createIndex('payment_reversals_invoice')
    .on('payment_reversals')
    .column('invoice_id')
    .execute();
}

import type { Kysely } from 'kysely';

/** Where a buyer was when the month closed, refunds and disputes of payments, and links to invoices for people without an account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('invoices').addColumn('tax_place', 'text').execute();
  await db.schema.alterTable('billing_contacts').addColumn('last_language', 'text').execute();
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
  await db.schema
    .createTable('invoice_links')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('token_hash', 'text', (c) => c.primaryKey())
    .addColumn('invoice_id', 'text', (c) => c.notNull().references('invoices.id'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('invoice_links_invoice')
    .on('invoice_links')
    .columns(['invoice_id', 'created_at'])
    .execute();
  await db.schema.createIndex('invoice_links_expiry').on('invoice_links').column('expires_at').execute();
}

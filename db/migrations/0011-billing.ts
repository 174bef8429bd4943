import { type Kysely, sql } from 'kysely';

/**
 * Billing: who pays and how, closed months with their invoices, payments, what a provider tells, and spending
 * limits. Every row says whether it belongs to the sandbox, to a provider's test mode or to real money.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const table = (name: string) => db.schema.createTable(name);

  await table('billing_contacts')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('tax_ids', 'text', (c) => c.notNull())
    .addColumn('company', 'text')
    .addColumn('address_line1', 'text')
    .addColumn('address_line2', 'text')
    .addColumn('city', 'text')
    .addColumn('province', 'text')
    .addColumn('postal_code', 'text')
    .addColumn('country', 'text')
    .addColumn('phone', 'text')
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('billing_contacts_pk', ['organization_id', 'mode'])
    .execute();

  await table('billing_customers')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('provider_id', 'text')
    .addColumn('default_payment_method_id', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('synced_at', 'bigint')
    .addPrimaryKeyConstraint('billing_customers_pk', ['organization_id', 'mode'])
    .execute();
  await db.schema
    .createIndex('billing_customers_provider')
    .on('billing_customers')
    .columns(['mode', 'provider_id'])
    .unique()
    .execute();

  await table('payment_methods')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('provider_id', 'text', (c) => c.notNull())
    .addColumn('brand', 'text', (c) => c.notNull())
    .addColumn('last4', 'text', (c) => c.notNull())
    .addColumn('exp_month', 'integer', (c) => c.notNull())
    .addColumn('exp_year', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('removed_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('payment_methods_provider')
    .on('payment_methods')
    .columns(['mode', 'provider_id'])
    .unique()
    .execute();
  await db.schema
    .createIndex('payment_methods_organization')
    .on('payment_methods')
    .columns(['organization_id', 'mode'])
    .execute();

  await makeInvoices(db);
  await makePayments(db);
  await makeLimits(db);
  await makeSandbox(db);
}

/** Months that are over, and what was billed for them. */
async function makeInvoices(db: Kysely<unknown>): Promise<void> {
  const table = (name: string) => db.schema.createTable(name);
  await table('billing_months')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('year', 'integer', (c) => c.notNull())
    .addColumn('month', 'integer', (c) => c.notNull())
    .addColumn('snapshot', 'text', (c) => c.notNull())
    .addColumn('billed', 'text', (c) => c.notNull())
    .addColumn('price_version', 'text', (c) => c.notNull())
    .addColumn('invoice_id', 'text')
    .addColumn('closed_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('billing_months_pk', ['organization_id', 'mode', 'year', 'month'])
    .execute();
  await db.schema
    .createIndex('billing_months_month')
    .on('billing_months')
    .columns(['mode', 'year', 'month'])
    .execute();

  await table('invoices')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('billing_year', 'integer', (c) => c.notNull())
    .addColumn('billing_month', 'integer', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('tax_reason', 'text', (c) => c.notNull())
    .addColumn('buyer', 'text')
    .addColumn('seller', 'text')
    .addColumn('hold_reason', 'text')
    .addColumn('provider_id', 'text')
    .addColumn('number', 'text')
    .addColumn('dunning_reason', 'text')
    .addColumn('subtotal_cents', 'bigint', (c) => c.notNull())
    .addColumn('total_cents', 'bigint', (c) => c.notNull())
    .addColumn('amount_due_cents', 'bigint', (c) => c.notNull())
    .addColumn('amount_paid_cents', 'bigint', (c) => c.notNull())
    .addColumn('credited_cents', 'bigint', (c) => c.notNull())
    .addColumn('attempts', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('finalized_at', 'bigint')
    .addColumn('paid_at', 'bigint')
    .addColumn('voided_at', 'bigint')
    .addColumn('next_attempt_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('invoices_month')
    .on('invoices')
    .columns(['organization_id', 'mode', 'billing_year', 'billing_month'])
    .unique()
    .execute();
  await db.schema
    .createIndex('invoices_provider')
    .on('invoices')
    .columns(['mode', 'provider_id'])
    .unique()
    .execute();
  await db.schema
    .createIndex('invoices_due')
    .on('invoices')
    .columns(['mode', 'next_attempt_at'])
    .where(sql.ref('next_attempt_at'), 'is not', sql.lit(null))
    .execute();
  await db.schema.createIndex('invoices_status').on('invoices').columns(['mode', 'status']).execute();

  await table('invoice_lines')
    .addColumn('invoice_id', 'text', (c) => c.notNull().references('invoices.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('usage_kind', 'text', (c) => c.notNull())
    .addColumn('quantity', 'text', (c) => c.notNull())
    .addColumn('usage_year', 'integer', (c) => c.notNull())
    .addColumn('usage_month', 'integer', (c) => c.notNull())
    .addColumn('rate_cents', 'bigint', (c) => c.notNull())
    .addColumn('amount_cents', 'bigint', (c) => c.notNull())
    .addColumn('cut_cents', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('invoice_lines_pk', ['invoice_id', 'position'])
    .execute();

  await table('invoice_taxes')
    .addColumn('invoice_id', 'text', (c) => c.notNull().references('invoices.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('registration', 'text', (c) => c.notNull())
    .addColumn('rate_milli', 'bigint', (c) => c.notNull())
    .addColumn('amount_cents', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('invoice_taxes_pk', ['invoice_id', 'position'])
    .execute();
}

/** Tries to be paid, what was taken back, and what a provider tells of both. */
async function makePayments(db: Kysely<unknown>): Promise<void> {
  const table = (name: string) => db.schema.createTable(name);
  await table('payment_attempts')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('invoice_id', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('payment_method_id', 'text')
    .addColumn('outcome', 'text')
    .addColumn('detail', 'text')
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('payment_attempts_invoice')
    .on('payment_attempts')
    .columns(['invoice_id', 'started_at'])
    .execute();

  await table('credit_notes')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('invoice_id', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('provider_id', 'text')
    .addColumn('amount_cents', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('credit_notes_invoice').on('credit_notes').column('invoice_id').execute();

  await table('webhook_events')
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('provider_event_id', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('object_type', 'text', (c) => c.notNull())
    .addColumn('object_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('received_at', 'bigint', (c) => c.notNull())
    .addColumn('attempts', 'bigint', (c) => c.notNull())
    .addColumn('last_error', 'text')
    .addColumn('handled_at', 'bigint')
    .addColumn('next_attempt_at', 'bigint')
    .addPrimaryKeyConstraint('webhook_events_pk', ['mode', 'provider_event_id'])
    .execute();
  await db.schema
    .createIndex('webhook_events_due')
    .on('webhook_events')
    .column('next_attempt_at')
    .where(sql.ref('next_attempt_at'), 'is not', sql.lit(null))
    .execute();
  await db.schema.createIndex('webhook_events_received').on('webhook_events').column('received_at').execute();
}

/** What may be spent, who was told, what is stopped, and who was asked to set up billing. */
async function makeLimits(db: Kysely<unknown>): Promise<void> {
  const table = (name: string) => db.schema.createTable(name);
  await table('spending_limits')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('resource_id', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('set_year', 'integer', (c) => c.notNull())
    .addColumn('set_month', 'integer', (c) => c.notNull())
    .addColumn('amount_cents', 'bigint', (c) => c.notNull())
    .addColumn('spent_cents', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('spending_limits_resource')
    .on('spending_limits')
    .columns(['organization_id', 'mode', 'scope', 'resource_id'])
    .unique()
    .execute();

  await table('spending_alerts')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('limit_id', 'text', (c) => c.notNull())
    .addColumn('year', 'integer', (c) => c.notNull())
    .addColumn('month', 'integer', (c) => c.notNull())
    .addColumn('share', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('spending_alerts_pk', ['limit_id', 'year', 'month', 'share'])
    .execute();

  await table('spending_stops')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('resource_id', 'text', (c) => c.notNull())
    .addColumn('year', 'integer', (c) => c.notNull())
    .addColumn('month', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('spending_stops_pk', ['organization_id', 'mode', 'scope', 'resource_id'])
    .execute();

  await table('billing_notices')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('told_at', 'bigint')
    .addPrimaryKeyConstraint('billing_notices_pk', ['organization_id', 'mode', 'kind'])
    .execute();
}

/** What a payment provider would keep on its own side, for installations without one. */
async function makeSandbox(db: Kysely<unknown>): Promise<void> {
  const table = (name: string) => db.schema.createTable(name);
  await table('sandbox_objects')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('parent', 'text', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('sequence', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('due_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('sandbox_objects_parent')
    .on('sandbox_objects')
    .columns(['parent', 'kind', 'sequence'])
    .execute();
  await db.schema
    .createIndex('sandbox_objects_due')
    .on('sandbox_objects')
    .column('due_at')
    .where(sql.ref('due_at'), 'is not', sql.lit(null))
    .execute();

  await table('sandbox_answers')
    .addColumn('idempotency_key', 'text', (c) => c.primaryKey())
    .addColumn('request', 'text', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('status', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
}

import type { Kysely } from 'kysely';

/**
 * What an endpoint proves and asks for, certificates with their orders, and hostnames that rest after a
 * removal.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const table = (name: string) => db.schema.createTable(name);

  await db.schema
    .alterTable('cdn_endpoints')
    .addColumn('hsts', 'text', (c) => c.notNull().defaultTo('off'))
    .execute();
  await db.schema.alterTable('cdn_endpoints').addColumn('proven_at', 'bigint').execute();

  await table('certificate_bundles')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.references('organizations.id'))
    .addColumn('endpoint_id', 'text', (c) => c.unique().references('cdn_endpoints.id').onDelete('cascade'))
    .addColumn('domain_name', 'text', (c) => c.notNull().unique())
    .addColumn('dns_challenge_id', 'text', (c) => c.notNull().unique())
    .addColumn('dns_validated_at', 'bigint')
    .addColumn('dns_challenge_validated_at', 'bigint')
    .addColumn('dns_report', 'text')
    .addColumn('dns_checked_at', 'bigint')
    .addColumn('next_check_at', 'bigint', (c) => c.notNull())
    .addColumn('dns_problem_since', 'bigint')
    .addColumn('warned_at', 'bigint')
    .addColumn('authority', 'text')
    .addColumn('certificate', 'text')
    .addColumn('private_key_sealed', 'text')
    .addColumn('serial_number', 'text')
    .addColumn('issued_at', 'bigint')
    .addColumn('valid_from', 'bigint')
    .addColumn('valid_until', 'bigint')
    .addColumn('renew_at', 'bigint')
    .addColumn('renewal_info_at', 'bigint')
    .addColumn('next_issue_at', 'bigint')
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('failure_code', 'text')
    .addColumn('failure_detail', 'text')
    .addColumn('failed_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  for (const column of ['next_check_at', 'next_issue_at', 'organization_id'] as const) {
    await db.schema
      .createIndex(`certificate_bundles_${column}`)
      .on('certificate_bundles')
      .column(column)
      .execute();
  }

  await table('certificate_orders')
    .addColumn('bundle_id', 'text', (c) =>
      c.primaryKey().references('certificate_bundles.id').onDelete('cascade'),
    )
    .addColumn('authority', 'text', (c) => c.notNull())
    .addColumn('order_url', 'text', (c) => c.notNull())
    .addColumn('key_sealed', 'text', (c) => c.notNull())
    .addColumn('step', 'text', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();

  await table('challenge_values')
    .addColumn('dns_challenge_id', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('challenge_values_pk', ['dns_challenge_id', 'value'])
    .execute();

  // What was asked of an authority, so that its limits are kept across nodes and after an endpoint is gone.
  await table('certificate_attempts')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('authority', 'text', (c) => c.notNull())
    .addColumn('organization_id', 'text')
    .addColumn('domain_name', 'text', (c) => c.notNull())
    .addColumn('registered_domain', 'text', (c) => c.notNull())
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('is_renewal', 'integer', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('certificate_attempts_recent')
    .on('certificate_attempts')
    .columns(['authority', 'at'])
    .execute();

  await table('acme_accounts')
    .addColumn('authority', 'text', (c) => c.primaryKey())
    .addColumn('account_url', 'text')
    .addColumn('key_sealed', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();

  await table('resting_hostnames')
    .addColumn('hostname', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('cname_target', 'text', (c) => c.notNull())
    .addColumn('dns_challenge_id', 'text')
    .addColumn('until', 'bigint', (c) => c.notNull())
    .execute();
}

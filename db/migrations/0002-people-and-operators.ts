import { type CreateTableBuilder, type Kysely, sql } from 'kysely';

/**
 * Named organizations with invitations, what an issuer grants us, operators, outgoing mail, and clients of
 * the identity service.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter.constructor.name === 'PostgresAdapter';
  const table = (name: string) => db.schema.createTable(name);
  /** A number that the database counts up and never gives twice. */
  const withSequence = (builder: CreateTableBuilder<string, never>, column: string) =>
    isPostgres
      ? builder.addColumn(column, 'bigint', (c) => c.primaryKey().generatedByDefaultAsIdentity())
      : builder.addColumn(column, 'integer', (c) => c.primaryKey().autoIncrement());

  for (const column of ['issuer', 'upstream_id', 'handle', 'suspension_reason'] as const) {
    await db.schema.alterTable('organizations').addColumn(column, 'text').execute();
  }
  for (const column of ['suspended_at', 'detached_at'] as const) {
    await db.schema.alterTable('organizations').addColumn(column, 'bigint').execute();
  }
  await db.schema
    .createIndex('organizations_upstream')
    .on('organizations')
    .columns(['issuer', 'upstream_id'])
    .unique()
    .execute();
  // Elsewhere two organizations may swap their handles between two syncs; here a handle is one
  // organization's.
  await db.schema
    .createIndex('organizations_embedded_handle')
    .on('organizations')
    .column('handle')
    .unique()
    .where(sql.ref('issuer'), '=', sql.lit('embedded'))
    .execute();

  await withSequence(table('organization_numbers'), 'number')
    .addColumn('organization_id', 'text', (c) => c.notNull().unique())
    .execute();

  await table('organization_invitations')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) =>
      c.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('token_sealed', 'text', (c) => c.notNull())
    .addColumn('email', 'text')
    .addColumn('permission', 'text', (c) => c.notNull())
    .addColumn('invited_by', 'text', (c) => c.notNull())
    .addColumn('invited_by_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('accepted_at', 'bigint')
    .addColumn('accepted_by', 'text')
    .addColumn('revoked_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('organization_invitations_organization')
    .on('organization_invitations')
    .columns(['organization_id', 'created_at'])
    .execute();

  for (const column of ['memberships_synced_at', 'memberships_attempted_at'] as const) {
    await db.schema.alterTable('users').addColumn(column, 'bigint').execute();
  }
  await table('sign_in_grants')
    .addColumn('user_id', 'text', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('access_token_sealed', 'text', (c) => c.notNull())
    .addColumn('refresh_token_sealed', 'text')
    .addColumn('access_expires_at', 'bigint')
    .addColumn('groups_source', 'text')
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();

  await db.schema.alterTable('identity_accounts').addColumn('email_verified_at', 'bigint').execute();
  await table('identity_mail_links')
    .addColumn('token_hash', 'text', (c) => c.primaryKey())
    .addColumn('account_number', 'bigint', (c) => c.notNull())
    .addColumn('purpose', 'text', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('used_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('identity_mail_links_account')
    .on('identity_mail_links')
    .column('account_number')
    .execute();
  await db.schema.alterTable('identity_payloads').addColumn('account_key', 'text').execute();
  await db.schema
    .createIndex('identity_payloads_account')
    .on('identity_payloads')
    .column('account_key')
    .execute();
  await table('identity_clients')
    .addColumn('client_id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('secret_sealed', 'text', (c) => c.notNull())
    .addColumn('redirect_uris', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();

  await table('outgoing_mails')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('recipient', 'text', (c) => c.notNull())
    .addColumn('message_sealed', 'text', (c) => c.notNull())
    .addColumn('resource_type', 'text', (c) => c.notNull())
    .addColumn('resource_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('next_attempt_at', 'bigint')
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('sent_at', 'bigint')
    .addColumn('failed_at', 'bigint')
    .addColumn('last_error', 'text')
    .execute();
  await db.schema.createIndex('outgoing_mails_due').on('outgoing_mails').column('next_attempt_at').execute();
  await db.schema
    .createIndex('outgoing_mails_resource')
    .on('outgoing_mails')
    .columns(['resource_type', 'resource_id'])
    .execute();

  await table('operator_tokens')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('access', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute();
}

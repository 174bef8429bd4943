import type { CreateTableBuilder, Kysely } from 'kysely';

/**
 * People, organizations, sessions, the embedded identity service, sites with their versions, credentials and
 * the audit log.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter.constructor.name === 'PostgresAdapter';
  const table = (name: string) => db.schema.createTable(name);
  /** A number that the database counts up and never gives twice. */
  const withSequence = (builder: CreateTableBuilder<string, never>, column: string) =>
    isPostgres
      ? builder.addColumn(column, 'bigint', (c) => c.primaryKey().generatedByDefaultAsIdentity())
      : builder.addColumn(column, 'integer', (c) => c.primaryKey().autoIncrement());

  await table('users')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('login', 'text', (c) => c.notNull())
    .addColumn('full_name', 'text', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('avatar_url', 'text')
    .addColumn('language_preference', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('users_issuer_subject', ['issuer', 'subject'])
    .execute();

  await table('organizations')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('external_id', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text')
    .addColumn('website', 'text')
    .addColumn('location', 'text')
    .addColumn('avatar_url', 'text')
    .addColumn('features', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();

  await table('memberships')
    .addColumn('organization_id', 'text', (c) =>
      c.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('permission', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('memberships_pk', ['organization_id', 'user_id'])
    .execute();
  await db.schema.createIndex('memberships_user').on('memberships').column('user_id').execute();

  await table('sessions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('organization_id', 'text', (c) => c.references('organizations.id').onDelete('set null'))
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('absolute_expires_at', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('user_agent', 'text', (c) => c.notNull())
    .addColumn('identity_session', 'text')
    .addColumn('id_token_sealed', 'text')
    .execute();
  await db.schema.createIndex('sessions_user').on('sessions').column('user_id').execute();

  await withSequence(table('identity_accounts'), 'number')
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('email_key', 'text', (c) => c.notNull().unique())
    .addColumn('login', 'text', (c) => c.notNull())
    .addColumn('login_key', 'text', (c) => c.notNull().unique())
    .addColumn('full_name', 'text', (c) => c.notNull())
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .addColumn('avatar_url', 'text')
    .addColumn('language', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();

  await table('identity_payloads')
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('grant_id', 'text')
    .addColumn('uid', 'text')
    .addColumn('user_code', 'text')
    .addColumn('consumed_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addPrimaryKeyConstraint('identity_payloads_pk', ['model', 'id'])
    .execute();
  await db.schema.createIndex('identity_payloads_grant').on('identity_payloads').column('grant_id').execute();
  await db.schema.createIndex('identity_payloads_uid').on('identity_payloads').column('uid').execute();
  await db.schema
    .createIndex('identity_payloads_expiry')
    .on('identity_payloads')
    .column('expires_at')
    .execute();

  await table('sites')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_key', 'text', (c) => c.notNull())
    .addColumn('subdomain', 'text', (c) => c.notNull().unique())
    .addColumn('current_version_id', 'text')
    .addColumn('spa_fallback', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('deleted_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('sites_organization')
    .on('sites')
    .columns(['organization_id', 'name_key', 'id'])
    .execute();

  await table('site_versions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('message', 'text')
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('touched_at', 'bigint', (c) => c.notNull())
    .addColumn('sealed_at', 'bigint')
    .addColumn('reverted_at', 'bigint')
    .addColumn('published_at', 'bigint')
    .addColumn('replaced_at', 'bigint')
    .addColumn('file_count', 'integer', (c) => c.notNull())
    .addColumn('total_bytes', 'bigint', (c) => c.notNull())
    .addColumn('redirect_rules', 'text', (c) => c.notNull().defaultTo('[]'))
    .addColumn('header_rules', 'text', (c) => c.notNull().defaultTo('[]'))
    .addColumn('report', 'text')
    .addUniqueConstraint('site_versions_number', ['site_id', 'number'])
    .execute();

  await table('version_files')
    .addColumn('version_id', 'text', (c) => c.notNull().references('site_versions.id').onDelete('cascade'))
    .addColumn('path', 'text', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('content_type', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('version_files_pk', ['version_id', 'path'])
    .execute();
  await db.schema
    .createIndex('version_files_sha256')
    .on('version_files')
    .columns(['sha256', 'version_id'])
    .execute();

  await table('blobs')
    .addColumn('sha256', 'text', (c) => c.primaryKey())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('brotli_size', 'bigint')
    .addColumn('gzip_size', 'bigint')
    .addColumn('encoded_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('touched_at', 'bigint', (c) => c.notNull())
    .addColumn('condemned_at', 'bigint')
    .execute();
  await db.schema.createIndex('blobs_touched').on('blobs').column('touched_at').execute();

  await table('organization_blobs')
    .addColumn('organization_id', 'text', (c) =>
      c.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('sha256', 'text', (c) => c.notNull().references('blobs.sha256').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('organization_blobs_pk', ['organization_id', 'sha256'])
    .execute();
  await db.schema
    .createIndex('organization_blobs_sha256')
    .on('organization_blobs')
    .column('sha256')
    .execute();

  await table('cdn_endpoints')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('hostname', 'text', (c) => c.notNull().unique())
    .addColumn('cname_target', 'text', (c) => c.notNull())
    .addColumn('origin_type', 'text', (c) => c.notNull())
    .addColumn('site_id', 'text', (c) => c.references('sites.id'))
    .addColumn('redirect_target', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('cdn_endpoints_site').on('cdn_endpoints').column('site_id').execute();
  await db.schema
    .createIndex('cdn_endpoints_organization')
    .on('cdn_endpoints')
    .column('organization_id')
    .execute();

  await table('credentials')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text')
    .addColumn('public_key', 'text', (c) => c.notNull().unique())
    .addColumn('secret_sealed', 'text', (c) => c.notNull())
    .addColumn('is_active', 'integer', (c) => c.notNull().defaultTo(1))
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('credentials_organization')
    .on('credentials')
    .column('organization_id')
    .execute();

  await table('credential_scopes')
    .addColumn('credential_id', 'text', (c) => c.notNull().references('credentials.id').onDelete('cascade'))
    .addColumn('resource_type', 'text', (c) => c.notNull())
    .addColumn('resource_id', 'text', (c) => c.notNull())
    .addColumn('permissions', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('credential_scopes_pk', ['credential_id', 'resource_type', 'resource_id'])
    .execute();

  await table('audit_events')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text')
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('actor_kind', 'text', (c) => c.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('actor_name', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('resource_type', 'text', (c) => c.notNull())
    .addColumn('resource_id', 'text', (c) => c.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('address', 'text')
    .addColumn('request_id', 'text')
    .execute();
  await db.schema
    .createIndex('audit_events_organization')
    .on('audit_events')
    .columns(['organization_id', 'at'])
    .execute();

  await withSequence(table('edge_changes'), 'sequence')
    .addColumn('site_id', 'text')
    .addColumn('hostname', 'text')
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute();

  await table('idempotency_keys')
    .addColumn('principal', 'text', (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('fingerprint', 'text', (c) => c.notNull())
    .addColumn('status', 'integer')
    .addColumn('body', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('idempotency_keys_pk', ['principal', 'key'])
    .execute();

  await table('installation_values')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();

  await table('leases')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('holder', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
}

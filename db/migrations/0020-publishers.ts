import type { Kysely } from 'kysely';

/**
 * Repositories whose automation may deploy to a site without a stored secret, and the credentials of minutes
 * that they get.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('publishers')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('repository', 'text', (c) => c.notNull())
    .addColumn('repository_key', 'text', (c) => c.notNull())
    .addColumn('repository_id', 'text')
    .addColumn('ref', 'text', (c) => c.notNull())
    .addColumn('environment', 'text')
    .addColumn('may_publish', 'integer', (c) => c.notNull())
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute();
  await db.schema.createIndex('publishers_site').on('publishers').column('site_id').execute();
  await db.schema
    .createTable('used_identity_tokens')
    .addColumn('token_hash', 'text', (c) => c.primaryKey())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('used_identity_tokens_expiry')
    .on('used_identity_tokens')
    .column('expires_at')
    .execute();
  await db.schema.alterTable('credentials').addColumn('publisher_id', 'text').execute();
  await db.schema
    .alterTable('credentials')
    .addColumn('may_publish', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
  await db.schema.createIndex('credentials_publisher').on('credentials').column('publisher_id').execute();
}

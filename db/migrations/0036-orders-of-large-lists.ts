import type { Kysely } from 'kysely';

/**
 * What anybody can create by the thousand is found by its age when it is removed. Without these, each removal would read whole tables,
 * their texts included, while every other write waits. The lists that come in pages are read in their order: each page
 * would sort all that the organization has.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const index = (name: string, table: string, columns: string[]) =>
    db.schema.createIndex(name).on(table).columns(columns).execute();
  await index('idempotency_keys_created', 'idempotency_keys', ['created_at']);
  await index('outgoing_mails_created', 'outgoing_mails', ['created_at']);
  await index('identity_accounts_unconfirmed', 'identity_accounts', ['awaits_verification', 'created_at']);
  await index('cdn_endpoints_by_hostname', 'cdn_endpoints', ['organization_id', 'hostname']);
  await index('credentials_by_age', 'credentials', ['organization_id', 'created_at', 'id']);
}

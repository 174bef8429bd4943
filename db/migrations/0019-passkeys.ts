import type { Kysely } from 'kysely';

/** Passkeys of accounts at the embedded identity service (WebAuthn). */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter.constructor.name === 'PostgresAdapter';
  // As wide as the accounts' own numbers, on either engine.
  const number = isPostgres ? 'bigint' : 'integer';
  await db.schema
    .createTable('identity_passkeys')
    .addColumn('credential_id', 'text', (c) => c.primaryKey())
    .addColumn('account_number', number, (c) =>
      c.notNull().references('identity_accounts.number').onDelete('cascade'),
    )
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('counter', 'bigint', (c) => c.notNull())
    .addColumn('transports', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('identity_passkeys_account')
    .on('identity_passkeys')
    .column('account_number')
    .execute();
}

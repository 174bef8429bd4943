import type { Kysely } from 'kysely';

/**
 * Second factors of accounts at the embedded identity service: one-time codes of an app, and recovery codes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter.constructor.name === 'PostgresAdapter';
  // As wide as the accounts' own numbers, on either engine.
  const number = isPostgres ? 'bigint' : 'integer';
  await db.schema
    .createTable('identity_totp')
    .addColumn('account_number', number, (c) =>
      c.primaryKey().references('identity_accounts.number').onDelete('cascade'),
    )
    .addColumn('secret_sealed', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('confirmed_at', 'bigint')
    .addColumn('last_step', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('identity_recovery_codes')
    .addColumn('code_hash', 'text', (c) => c.primaryKey())
    .addColumn('account_number', number, (c) =>
      c.notNull().references('identity_accounts.number').onDelete('cascade'),
    )
    .execute();
  await db.schema
    .createIndex('identity_recovery_codes_account')
    .on('identity_recovery_codes')
    .column('account_number')
    .execute();
}

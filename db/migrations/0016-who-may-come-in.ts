import type { Kysely } from 'kysely';

/** People whom an operator keeps out, and accounts that wait for their address to be confirmed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['users', 'identity_accounts'] as const) {
    await db.schema.alterTable(table).addColumn('blocked_at', 'bigint').execute();
    await db.schema.alterTable(table).addColumn('blocked_reason', 'text').execute();
  }
  await db.schema
    .alterTable('identity_accounts')
    .addColumn('awaits_verification', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('identity_accounts').addColumn('invitation_id', 'text').execute();
  await db.schema
    .createIndex('identity_accounts_invitation')
    .on('identity_accounts')
    .column('invitation_id')
    .unique()
    .execute();
}

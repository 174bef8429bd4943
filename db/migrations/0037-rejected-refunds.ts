import type { Kysely } from 'kysely';

/** Which refund a credit note made, and when money that a bank rejected was given back by other means. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('credit_notes').addColumn('refund_id', 'text').execute();
  await db.schema.alterTable('payment_reversals').addColumn('repaid_at', 'bigint').execute();
}

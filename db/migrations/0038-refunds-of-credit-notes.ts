import { type Kysely, sql } from 'kysely';

/** Credit notes that are copied in one statement. */
const COPIED_TOGETHER = 500;

interface Copied {
  credit_notes: { id: string; organization_id: string; mode: string; refund_id: string };
  credit_note_refunds: {
    organization_id: string;
    mode: string;
    credit_note_id: string;
    provider_id: string;
  };
}

/**
 * Which refunds each credit note made, whether a credit lowered what was due, what other refunds gave back of a rejected one, and
 * what an invoice began with of its customer's balance.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('credit_note_refunds')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('credit_note_id', 'text', (c) => c.notNull().references('credit_notes.id'))
    .addColumn('provider_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('credit_note_refunds_pk', ['mode', 'provider_id'])
    .execute();
  await db.schema
    .createIndex('credit_note_refunds_note')
    .on('credit_note_refunds')
    .column('credit_note_id')
    .execute();
  await db.schema.alterTable('credit_notes').addColumn('is_early', 'integer').execute();
  await db.schema
    .alterTable('payment_reversals')
    .addColumn('repeated_cents', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('invoices').addColumn('starting_balance_cents', 'bigint').execute();
  await sql`update credit_notes set is_early = case when kind = 'credit' and exists (
      select 1 from invoices where invoices.id = credit_notes.invoice_id
        and (invoices.paid_at is null or credit_notes.created_at <= invoices.paid_at)) then 1 else 0 end
    where provider_id is not null`.execute(db);
  await copyRefunds(db as Kysely<Copied>);
}

async function copyRefunds(db: Kysely<Copied>): Promise<void> {
  for (let after = ''; ; ) {
    const notes = await db
      .selectFrom('credit_notes')
      .select(['id', 'organization_id', 'mode', 'refund_id'])
      .where('refund_id', 'is not', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(COPIED_TOGETHER)
      .execute();
    const refunds = notes.flatMap(({ id, refund_id, ...owner }) =>
      refund_id.split(' ').map((provider_id) => ({ ...owner, credit_note_id: id, provider_id })),
    );
    if (refunds.length > 0) await db.insertInto('credit_note_refunds').values(refunds).execute();
    const last = notes.at(-1);
    if (notes.length < COPIED_TOGETHER || !last) return;
    after = last.id;
  }
}

import type { Kysely } from 'kysely';

/** The audit log is read by age: what is too old goes, and addresses are shortened. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('audit_events_at').on('audit_events').column('at').execute();
}

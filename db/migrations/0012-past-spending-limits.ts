import type { Kysely } from 'kysely';

/**
 * Limits as they held in a month that is over and not closed yet: what is set afterwards changes nothing in
 * it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('past_spending_limits')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('resource_id', 'text', (c) => c.notNull())
    .addColumn('year', 'integer', (c) => c.notNull())
    .addColumn('month', 'integer', (c) => c.notNull())
    .addColumn('cap_cents', 'bigint', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('past_spending_limits_pk', [
      'organization_id',
      'mode',
      'scope',
      'resource_id',
      'year',
      'month',
    ])
    .execute();
}

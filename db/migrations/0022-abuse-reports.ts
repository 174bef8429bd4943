import type { Kysely } from 'kysely';

/** What strangers report about sites, and sites and versions that an operator has suspended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('abuse_reports')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('email', 'text')
    .addColumn('organization_id', 'text')
    .addColumn('site_id', 'text')
    .addColumn('version_id', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('closed_at', 'bigint')
    .addColumn('outcome', 'text')
    .addColumn('note', 'text')
    .addColumn('closed_by', 'text')
    .execute();
  await db.schema
    .createIndex('abuse_reports_closed')
    .on('abuse_reports')
    .columns(['closed_at', 'id'])
    .execute();
  await db.schema.createIndex('abuse_reports_site').on('abuse_reports').column('site_id').execute();
  for (const table of ['sites', 'site_versions']) {
    await db.schema.alterTable(table).addColumn('suspended_at', 'bigint').execute();
    await db.schema.alterTable(table).addColumn('suspension_reason', 'text').execute();
  }
}

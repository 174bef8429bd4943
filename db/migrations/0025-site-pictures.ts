import { type Kysely, sql } from 'kysely';

/** Small pictures of sites' front pages, and which of them are to be made. Every site that is live gets one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('site_pictures')
    .addColumn('site_id', 'text', (c) => c.primaryKey().references('sites.id').onDelete('cascade'))
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('wanted_at', 'bigint')
    .addColumn('version_id', 'text')
    .addColumn('kind', 'text')
    .addColumn('media_type', 'text')
    .addColumn('content', 'text')
    .addColumn('made_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('site_pictures_wanted')
    .on('site_pictures')
    .columns(['organization_id', 'wanted_at'])
    .where(sql.ref('wanted_at'), 'is not', sql.lit(null))
    .execute();
  await sql`
    insert into site_pictures (site_id, organization_id, wanted_at)
    select id, organization_id, updated_at from sites where current_version_id is not null
  `.execute(db);
}

import type { Kysely } from 'kysely';

/** The latest versions of all sites of an organization: ids begin with the time they were made at. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('site_versions_organization')
    .on('site_versions')
    .columns(['organization_id', 'id'])
    .execute();
}

import { type Kysely, sql } from 'kysely';

/**
 * Encoded copies are made after a version is sealed, and recorded for each organization that has the content:
 * what another one has made must not show.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['brotli_size', 'gzip_size', 'encoded_at']) {
    await db.schema.alterTable('organization_blobs').addColumn(column, 'bigint').execute();
  }
  await db.schema.alterTable('site_versions').addColumn('encoded_at', 'bigint').execute();
  await db.schema
    .alterTable('site_versions')
    .addColumn('encoded_through', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await sql`update organization_blobs
    set brotli_size = (select brotli_size from blobs where blobs.sha256 = organization_blobs.sha256),
      gzip_size = (select gzip_size from blobs where blobs.sha256 = organization_blobs.sha256),
      encoded_at = (select encoded_at from blobs where blobs.sha256 = organization_blobs.sha256)`.execute(db);
  // What was sealed before waited for its copies.
  await sql`update site_versions set encoded_at = sealed_at`.execute(db);
  await db.schema
    .createIndex('site_versions_unencoded')
    .on('site_versions')
    .column('organization_id')
    .where(sql.ref('sealed_at'), 'is not', sql.lit(null))
    .where(sql.ref('encoded_at'), 'is', sql.lit(null))
    .execute();
  for (const column of ['brotli_size', 'gzip_size', 'encoded_at']) {
    await db.schema.alterTable('blobs').dropColumn(column).execute();
  }
}

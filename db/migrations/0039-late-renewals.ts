import { type Kysely, sql } from 'kysely';

/** The renewals that are planned after the end of their certificates: without the rest, they are found in no time among a million. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('certificate_bundles_renewed_late')
    .on('certificate_bundles')
    .column('renew_at')
    .where(sql.ref('renew_at'), '>', sql.ref('valid_until'))
    .execute();
}

import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';

/** Versions moved at once: the rules of one may be as long as its files may be. */
const VERSIONS_AT_ONCE = 50;

interface StoredRules {
  id: string;
  redirect_rules: string;
  header_rules: string;
}

/** The rules of versions are stored once by their hash; most versions of a site have the same. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('rule_sets')
    .addColumn('sha256', 'text', (c) => c.primaryKey())
    .addColumn('redirects', 'text', (c) => c.notNull())
    .addColumn('headers', 'text', (c) => c.notNull())
    .addColumn('touched_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .alterTable('site_versions')
    .addColumn('rules_sha256', 'text', (c) => c.references('rule_sets.sha256'))
    .execute();
  await db.schema
    .createIndex('site_versions_rules')
    .on('site_versions')
    .column('rules_sha256')
    .where(sql.ref('rules_sha256'), 'is not', sql.lit(null))
    .execute();

  let after = '';
  for (;;) {
    const { rows } = await sql<StoredRules>`select id, redirect_rules, header_rules from site_versions
      where id > ${after} and (redirect_rules <> '[]' or header_rules <> '[]')
      order by id limit ${VERSIONS_AT_ONCE}`.execute(db);
    for (const { id, redirect_rules, header_rules } of rows) {
      const sha256 = createHash('sha256').update(`${redirect_rules}\n${header_rules}`).digest('hex');
      await sql`insert into rule_sets (sha256, redirects, headers, touched_at)
        values (${sha256}, ${redirect_rules}, ${header_rules}, 0) on conflict (sha256) do nothing`.execute(
        db,
      );
      await sql`update site_versions set rules_sha256 = ${sha256} where id = ${id}`.execute(db);
      after = id;
    }
    if (rows.length < VERSIONS_AT_ONCE) break;
  }
  for (const column of ['redirect_rules', 'header_rules']) {
    await db.schema.alterTable('site_versions').dropColumn(column).execute();
  }
}

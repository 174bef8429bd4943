import { type CreateTableBuilder, type Kysely, sql } from 'kysely';

/** What was served, per host and hour and day, and which sites and endpoints existed when. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter.constructor.name === 'PostgresAdapter';
  const table = (name: string) => db.schema.createTable(name);
  /** SQLite keeps the rows of a series side by side, and no second tree of keys. */
  const clustered = (name: string) => (isPostgres ? table(name) : table(name).modifyEnd(sql`without rowid`));

  const series = table('usage_series');
  await (isPostgres
    ? series.addColumn('id', 'bigint', (c) => c.primaryKey().generatedByDefaultAsIdentity())
    : series.addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
  )
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('endpoint_id', 'text')
    .addColumn('site_id', 'text')
    .addColumn('key', 'text', (c) => c.notNull().unique())
    .execute();
  for (const column of ['organization_id', 'endpoint_id'] as const) {
    await db.schema.createIndex(`usage_series_${column}`).on('usage_series').column(column).execute();
  }

  const withCounters = <N extends string>(builder: CreateTableBuilder<N, never>) =>
    [
      'bytes_sent',
      'requests',
      'cache_hits',
      'cache_misses',
      'status_2xx',
      'status_3xx',
      'status_4xx',
      'status_5xx',
      'refused_requests',
      'refused_bytes',
    ].reduce((all, name) => all.addColumn(name as never, 'bigint', (c) => c.notNull()), builder);
  for (const [name, unit] of [
    ['usage_hours', 'hour'],
    ['usage_days', 'day'],
  ] as const) {
    await withCounters(
      clustered(name)
        .addColumn('series_id', 'bigint', (c) => c.notNull())
        .addColumn(unit, 'bigint', (c) => c.notNull()),
    )
      .addPrimaryKeyConstraint(`${name}_pk`, ['series_id' as never, unit as never])
      .execute();
  }

  await clustered('usage_paths')
    .addColumn('series_id', 'bigint', (c) => c.notNull())
    .addColumn('day', 'bigint', (c) => c.notNull())
    .addColumn('path', 'text', (c) => c.notNull())
    .addColumn('requests', 'bigint', (c) => c.notNull())
    .addColumn('bytes_sent', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_paths_pk', ['series_id', 'day', 'path'])
    .execute();

  await table('usage_cursors')
    .addColumn('node_id', 'text', (c) => c.notNull())
    .addColumn('boot_id', 'text', (c) => c.notNull())
    .addColumn('sequence', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_cursors_pk', ['node_id', 'boot_id'])
    .execute();

  // Outlives the rows of sites and endpoints, which go for good some time after their deletion.
  await table('resource_lifetimes')
    .addColumn('resource_id', 'text', (c) => c.primaryKey())
    .addColumn('resource_type', 'text', (c) => c.notNull())
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('resource_lifetimes_organization')
    .on('resource_lifetimes')
    .columns(['organization_id', 'resource_type'])
    .execute();
  await sql`insert into resource_lifetimes (resource_id, resource_type, organization_id, name, started_at, ended_at)
    select id, 'site', organization_id, name, created_at, deleted_at from sites`.execute(db);
  await sql`insert into resource_lifetimes (resource_id, resource_type, organization_id, name, started_at, ended_at)
    select id, 'endpoint', organization_id, hostname, created_at, null from cdn_endpoints`.execute(db);
}

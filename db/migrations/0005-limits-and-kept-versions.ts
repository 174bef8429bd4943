import { type Kysely, sql } from 'kysely';

/**
 * The sums that limits are checked against, an organization's own limits, and how many old versions a site
 * keeps.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter.constructor.name === 'PostgresAdapter';
  await db.schema
    .alterTable('organizations')
    .addColumn('limits', 'text', (c) => c.notNull().defaultTo('{}'))
    .execute();
  for (const [column, initial] of [
    ['keep_versions', 100],
    ['keep_days', 90],
    ['removed_versions', 0],
  ] as const) {
    await db.schema
      .alterTable('sites')
      .addColumn(column, 'integer', (c) => c.notNull().defaultTo(initial))
      .execute();
  }
  await db.schema.alterTable('site_versions').addColumn('removed_at', 'bigint').execute();
  await db.schema
    .createIndex('site_versions_removed')
    .on('site_versions')
    .column('id')
    .where(sql.ref('removed_at'), 'is not', sql.lit(null))
    .execute();
  await db.schema
    .createIndex('site_versions_open')
    .on('site_versions')
    .column('touched_at')
    .where(sql.ref('sealed_at'), 'is', sql.lit(null))
    .execute();

  // A sum of sizes has to be right when the row of the content is gone already.
  await db.schema
    .alterTable('organization_blobs')
    .addColumn('size', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update organization_blobs
    set size = coalesce((select blobs.size from blobs where blobs.sha256 = organization_blobs.sha256), 0)`.execute(
    db,
  );

  await db.schema
    .createTable('organization_totals')
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('total', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('organization_totals_pk', ['organization_id', 'name'])
    .execute();
  for (const [table, amounts] of Object.entries(COUNTED)) {
    await sql
      .raw(`insert into organization_totals (organization_id, name, total) ${sums(amounts, [[table, 1]])}`)
      .execute(db);
    for (const statement of (isPostgres ? postgresTriggers : sqliteTriggers)(table, amounts)) {
      await sql.raw(statement).execute(db);
    }
  }
}

/** What a row of a table adds to which sum. */
interface Amount {
  name: string;
  value: string;
  columns: string[];
}

const COUNTED: Record<string, Amount[]> = {
  site_versions: [
    { name: 'versions', value: '1', columns: [] },
    { name: 'open_versions', value: 'case when sealed_at is null then 1 else 0 end', columns: ['sealed_at'] },
    { name: 'stored_files', value: 'file_count', columns: ['file_count'] },
  ],
  organization_blobs: [{ name: 'stored_bytes', value: 'size', columns: ['size'] }],
};

const ADD =
  'on conflict (organization_id, name) do update set total = organization_totals.total + excluded.total';

/**
 * The sums of rows, by organization and in one order, so that two writers never wait for each other in a
 * circle.
 */
function sums(amounts: Amount[], sources: [table: string, sign: 1 | -1][]): string {
  const rows = sources.flatMap(([table, sign]) =>
    amounts.map(
      ({ name, value }) =>
        `select organization_id, '${name}' as name, ${sign} * (${value}) as amount from ${table}`,
    ),
  );
  return `select organization_id, name, sum(amount) from (${rows.join(' union all ')}) amounts
    group by organization_id, name having sum(amount) <> 0 order by organization_id, name`;
}

/** A statement of many rows writes each sum once. */
function postgresTriggers(table: string, amounts: Amount[]): string[] {
  const events = [
    { event: 'insert', referencing: 'new table as added', sources: [['added', 1]] },
    { event: 'delete', referencing: 'old table as removed', sources: [['removed', -1]] },
    {
      event: 'update',
      referencing: 'old table as removed new table as added',
      sources: [
        ['added', 1],
        ['removed', -1],
      ],
    },
  ] satisfies { event: string; referencing: string; sources: [string, 1 | -1][] }[];
  return events.flatMap(({ event, referencing, sources }) => [
    `create function ${table}_${event}_totals() returns trigger language plpgsql as $$
     begin
       insert into organization_totals (organization_id, name, total) ${sums(amounts, sources)} ${ADD};
       return null;
     end $$`,
    `create trigger ${table}_${event}_totals after ${event} on ${table} referencing ${referencing}
     for each statement execute function ${table}_${event}_totals()`,
  ]);
}

function sqliteTriggers(table: string, amounts: Amount[]): string[] {
  const add = (row: 'new' | 'old', sign: 1 | -1, counted: Amount[]) =>
    counted
      .map(({ name, value, columns }) => {
        const amount = columns.reduce((text, column) => text.replace(column, `${row}.${column}`), value);
        return `insert into organization_totals (organization_id, name, total)
          values (${row}.organization_id, '${name}', ${sign} * (${amount})) ${ADD};`;
      })
      .join(' ');
  const changing = amounts.filter(({ columns }) => columns.length > 0);
  const columns = changing.flatMap((amount) => amount.columns).join(', ');
  return [
    `create trigger ${table}_insert_totals after insert on ${table} begin ${add('new', 1, amounts)} end`,
    `create trigger ${table}_delete_totals after delete on ${table} begin ${add('old', -1, amounts)} end`,
    `create trigger ${table}_update_totals after update of ${columns} on ${table}
     begin ${add('old', -1, changing)} ${add('new', 1, changing)} end`,
  ];
}

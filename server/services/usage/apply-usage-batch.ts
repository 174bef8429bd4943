import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { advanceCursor } from './advance-cursor.ts';
import { selectJsonRows } from './json-rows.ts';
import { mergeBySeries } from './merge-rows.ts';
import { revisePastDays } from './past-days-revision.ts';
import { COUNTERS, dayOf, PATHS_LISTED_PER_DAY } from './rules.ts';
import { type UsageBatch, type UsageBatchRow, usageBatchSchema } from './schema.ts';

/** The key of an hour or a day, and its counters. */
const COUNTER_TYPES = ['series_id', 'beginning', ...COUNTERS].map(() => 'bigint' as const);

/** What was counted for one series. */
interface SeriesRow {
  series_id: number;
  row: UsageBatchRow;
}

/**
 * Adds a node's counts to its hours and days, once: the cursor of the node's run advances in the same
 * transaction, so that a repeated batch, after a lost response or a crash, changes nothing. Batches of one
 * run arrive in order; one that arrives after a later one is treated as a repeat. Counts for deleted sites
 * and endpoints are added too. Returns whether it was added now.
 */
export async function applyUsageBatch(app: App, batch: UsageBatch): Promise<boolean> {
  const { rows, hour, ...from } = usageBatchSchema.parse(batch);
  const day = dayOf(hour);
  return inTransaction(app.db, async (trx) => {
    if (!(await advanceCursor(trx, from, app.clock.now()))) return false;
    const counted = await withSeriesIds(trx, mergeBySeries(rows));
    // Table by table, each in key order, so that concurrent nodes never deadlock.
    await addCounters(trx, { table: 'usage_hours', unit: 'hour', beginning: hour }, counted);
    await addCounters(trx, { table: 'usage_days', unit: 'day', beginning: day }, counted);
    await addPaths(trx, day, counted);
    if (day < dayOf(app.clock.now())) await revisePastDays(trx, app.clock.now());
    return true;
  });
}

/** Returns the rows with the ids of their series, creating new ones. */
async function withSeriesIds(trx: Trx, rows: ReadonlyMap<string, UsageBatchRow>): Promise<SeriesRow[]> {
  const ids = await findIds(trx, [...rows.keys()]);
  const missing = [...rows].filter(([key]) => !ids.has(key));
  if (missing.length > 0) {
    const made = missing.map(([key, row]) => [key, row.organization_id, row.endpoint_id, row.site_id]);
    await sql`insert into usage_series (key, organization_id, endpoint_id, site_id)
      ${selectJsonRows(trx, ['text', 'text', 'text', 'text'], made)}
      on conflict (key) do nothing`.execute(trx);
    const keys = missing.map(([key]) => key);
    for (const [key, id] of await findIds(trx, keys)) ids.set(key, id);
  }
  return [...rows].map(([key, row]) => {
    const series_id = ids.get(key);
    if (series_id === undefined) throw new Error(`the series ${key} was inserted but not found`);
    return { series_id, row };
  });
}

async function findIds(trx: Trx, keys: readonly string[]): Promise<Map<string, number>> {
  const listed = selectJsonRows(
    trx,
    ['text'],
    keys.map((key) => [key]),
  );
  const { rows } = await sql<{ id: number; key: string }>`select id, key from usage_series
    where key in (${listed})`.execute(trx);
  return new Map(rows.map(({ id, key }) => [key, id]));
}

async function addCounters(
  trx: Trx,
  {
    table,
    unit,
    beginning,
  }: { table: 'usage_hours' | 'usage_days'; unit: 'hour' | 'day'; beginning: number },
  counted: readonly SeriesRow[],
): Promise<void> {
  const rows = counted.map(({ series_id, row }) => [
    series_id,
    beginning,
    ...COUNTERS.map((name) => row[name]),
  ]);
  await addRows(trx, table, [['series_id', unit], COUNTERS], selectJsonRows(trx, COUNTER_TYPES, rows));
}

async function addPaths(trx: Trx, day: number, counted: readonly SeriesRow[]): Promise<void> {
  const rows = counted.flatMap(({ series_id, row }) =>
    row.paths.map(([path, requests, bytes]) => [series_id, day, path, requests, bytes]),
  );
  if (rows.length === 0) return;
  const columns = [
    ['series_id', 'day', 'path'],
    ['requests', 'bytes_sent'],
  ] as const;
  const listed = selectJsonRows(trx, ['bigint', 'bigint', 'text', 'bigint', 'bigint'], rows);
  const full = await findFullSeries(trx, day, counted);
  await addRows(trx, 'usage_paths', columns, full.length === 0 ? listed : withoutNewPaths(listed, full));
}

/**
 * Returns the series whose list of files is full for a day: a tenant who requests one file after another, or
 * deploys ever new ones, must not fill the disk. It reads no more than that many rows of a series.
 */
async function findFullSeries(trx: Trx, day: number, counted: readonly SeriesRow[]): Promise<number[]> {
  const ids = counted.filter(({ row }) => row.paths.length > 0).map(({ series_id }) => [series_id]);
  const { rows } = await sql<{ id: number }>`select asked.c0 as id
    from (${selectJsonRows(trx, ['bigint'], ids)}) as asked
    where (select 1 from usage_paths where series_id = asked.c0 and day = ${day}
      limit 1 offset ${PATHS_LISTED_PER_DAY - 1}) is not null`.execute(trx);
  return rows.map(({ id }) => id);
}

/** Of the files, those of other series, and those that are already listed. */
function withoutNewPaths(listed: RawBuilder<unknown>, full: readonly number[]): RawBuilder<unknown> {
  return sql`select * from (${listed}) as listed
    where listed.c0 not in (${sql.join(full)}) or exists (select 1 from usage_paths
      where series_id = listed.c0 and day = listed.c1 and path = listed.c2)
    order by 1, 2, 3`;
}

/** Adds rows to existing ones with the same key. */
async function addRows(
  trx: Trx,
  table: 'usage_hours' | 'usage_days' | 'usage_paths',
  [keys, sums]: readonly [keys: readonly string[], sums: readonly string[]],
  rows: RawBuilder<unknown>,
): Promise<void> {
  const refs = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
  const added = sums.map(
    (name) => sql`${sql.ref(name)} = ${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
  );
  await sql`insert into ${sql.table(table)} (${refs([...keys, ...sums])}) ${rows}
    on conflict (${refs(keys)}) do update set ${sql.join(added)}`.execute(trx);
}

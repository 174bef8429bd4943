import { sql } from 'kysely';
import type { Trx } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { mergeBySeries } from './merge-rows.ts';
import { COUNTERS, dayOf } from './rules.ts';
import { type UsageBatch, type UsageBatchRow, usageBatchSchema } from './schema.ts';

/** Rows of one statement: engines take a limited number of values. */
const ROWS_AT_ONCE = 500;

/** What was counted for one series. */
interface SeriesRow {
  series_id: number;
  row: UsageBatchRow;
}

/**
 * Adds what a node counted to its hours and days, once: the cursor of the node's run moves in the same transaction, so that
 * a batch that comes again, after a lost answer or a crash, changes nothing. Batches of one run come in their order; one
 * that comes after a later one is taken for a repeat. What was counted for sites and endpoints that are gone is added too.
 * Answers whether it was added now.
 */
export async function applyUsageBatch(app: App, batch: UsageBatch): Promise<boolean> {
  const { rows, hour, ...from } = usageBatchSchema.parse(batch);
  const day = dayOf(hour);
  return inTransaction(app.db, async (trx) => {
    if (!(await advanceCursor(trx, from, app.clock.now()))) return false;
    const counted = await withSeriesIds(trx, mergeBySeries(rows));
    // Table after table, each in the order of its key: of any number of nodes, none waits for another in a circle.
    await addHours(trx, hour, counted);
    await addDays(trx, day, counted);
    await addPaths(trx, day, counted);
    return true;
  });
}

/** Moves the cursor of the node's run to the batch; false when it is there or beyond. */
async function advanceCursor(
  trx: Trx,
  { node_id, boot_id, sequence }: Pick<UsageBatch, 'node_id' | 'boot_id' | 'sequence'>,
  now: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('usage_cursors')
    .values({ node_id, boot_id, sequence, updated_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['node_id', 'boot_id'])
        .doUpdateSet({ sequence, updated_at: now })
        .where('usage_cursors.sequence', '<', sequence),
    )
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Returns the rows with the ids of their series, in the order of the ids; new series are made. */
async function withSeriesIds(trx: Trx, rows: ReadonlyMap<string, UsageBatchRow>): Promise<SeriesRow[]> {
  const ids = await findIds(trx, [...rows.keys()]);
  const missing = [...rows].filter(([key]) => !ids.has(key)).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const some of inChunks(missing)) {
    const values = some.map(([key, { organization_id, endpoint_id, site_id }]) => ({
      key,
      organization_id,
      endpoint_id,
      site_id,
    }));
    await trx
      .insertInto('usage_series')
      .values(values)
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute();
  }
  const made = await findIds(
    trx,
    missing.map(([key]) => key),
  );
  return [...rows]
    .map(([key, row]) => {
      const series_id = ids.get(key) ?? made.get(key);
      if (series_id === undefined) throw new Error(`the series ${key} was made and is not there`);
      return { series_id, row };
    })
    .sort((a, b) => a.series_id - b.series_id);
}

async function findIds(trx: Trx, keys: readonly string[]): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const some of inChunks(keys)) {
    const found = await trx
      .selectFrom('usage_series')
      .select(['id', 'key'])
      .where('key', 'in', some)
      .execute();
    for (const { id, key } of found) ids.set(key, id);
  }
  return ids;
}

async function addHours(trx: Trx, hour: number, counted: readonly SeriesRow[]): Promise<void> {
  for (const some of inChunks(counted)) {
    await trx
      .insertInto('usage_hours')
      .values(some.map(({ series_id, row }) => ({ series_id, hour, ...countersOf(row) })))
      .onConflict((conflict) => conflict.columns(['series_id', 'hour']).doUpdateSet(added('usage_hours')))
      .execute();
  }
}

async function addDays(trx: Trx, day: number, counted: readonly SeriesRow[]): Promise<void> {
  for (const some of inChunks(counted)) {
    await trx
      .insertInto('usage_days')
      .values(some.map(({ series_id, row }) => ({ series_id, day, ...countersOf(row) })))
      .onConflict((conflict) => conflict.columns(['series_id', 'day']).doUpdateSet(added('usage_days')))
      .execute();
  }
}

async function addPaths(trx: Trx, day: number, counted: readonly SeriesRow[]): Promise<void> {
  const listed = counted.flatMap(({ series_id, row }) =>
    row.paths
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, requests, bytes_sent]) => ({ series_id, day, path, requests, bytes_sent })),
  );
  for (const some of inChunks(listed)) {
    await trx
      .insertInto('usage_paths')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['series_id', 'day', 'path']).doUpdateSet((eb) => ({
          requests: eb('usage_paths.requests', '+', eb.ref('excluded.requests')),
          bytes_sent: eb('usage_paths.bytes_sent', '+', eb.ref('excluded.bytes_sent')),
        })),
      )
      .execute();
  }
}

function countersOf(row: UsageBatchRow): Pick<UsageBatchRow, (typeof COUNTERS)[number]> {
  const {
    organization_id: _organization,
    endpoint_id: _endpoint,
    site_id: _site,
    paths: _paths,
    ...counters
  } = row;
  return counters;
}

/** What an upsert adds to the row that is there. */
function added(table: 'usage_hours' | 'usage_days') {
  return Object.fromEntries(
    COUNTERS.map((name) => [
      name,
      sql<number>`${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
    ]),
  );
}

function* inChunks<T>(all: readonly T[]): Generator<T[]> {
  for (let start = 0; start < all.length; start += ROWS_AT_ONCE) yield all.slice(start, start + ROWS_AT_ONCE);
}

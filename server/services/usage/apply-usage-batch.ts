import { sql } from 'kysely';
import type { Trx } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { COUNTERS, dayOf } from './rules.ts';
import type { UsageBatch, UsageBatchRow } from './schema.ts';

/** Rows of one statement: engines take a limited number of values. */
const ROWS_AT_ONCE = 500;

/**
 * Adds what a node counted to its hours and days, once: the cursor of the node's run moves in the same transaction, so that
 * a batch that comes again, after a lost answer or a crash, changes nothing. Batches of one run come in their order.
 * Answers whether it was added now.
 */
export async function applyUsageBatch(app: App, batch: UsageBatch): Promise<boolean> {
  return inTransaction(app.db, async (trx) => {
    if (!(await advanceCursor(trx, batch, app.clock.now()))) return false;
    const ids = await findSeries(trx, batch.rows);
    // The same order everywhere: two nodes that count the same hosts never wait for each other in a circle.
    const rows = batch.rows
      .map((row) => ({ row, series_id: ids.get(keyOf(row)) ?? 0 }))
      .sort((a, b) => a.series_id - b.series_id);
    for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
      const some = rows.slice(start, start + ROWS_AT_ONCE);
      const counted = some.map(({ row, series_id }) => {
        const counters = Object.fromEntries(COUNTERS.map((name) => [name, row[name]]));
        return { series_id, ...(counters as Pick<UsageBatchRow, (typeof COUNTERS)[number]>) };
      });
      await trx
        .insertInto('usage_hours')
        .values(counted.map((row) => ({ ...row, hour: batch.hour })))
        .onConflict((conflict) => conflict.columns(['series_id', 'hour']).doUpdateSet(added('usage_hours')))
        .execute();
      await trx
        .insertInto('usage_days')
        .values(counted.map((row) => ({ ...row, day: dayOf(batch.hour) })))
        .onConflict((conflict) => conflict.columns(['series_id', 'day']).doUpdateSet(added('usage_days')))
        .execute();
    }
    await addPaths(trx, dayOf(batch.hour), rows);
    return true;
  });
}

/** Moves the cursor of the node's run to the batch; false when it is there or beyond. */
async function advanceCursor(trx: Trx, batch: UsageBatch, now: number): Promise<boolean> {
  const { node_id, boot_id, sequence } = batch;
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

function keyOf({ organization_id, endpoint_id, site_id }: UsageBatchRow): string {
  return `${organization_id}/${endpoint_id ?? ''}/${site_id ?? ''}`;
}

/** Returns the ids of the rows' series by key; new ones are made. */
async function findSeries(trx: Trx, rows: readonly UsageBatchRow[]): Promise<Map<string, number>> {
  const wanted = new Map(rows.map((row) => [keyOf(row), row]));
  const ids = new Map<string, number>();
  const find = async (keys: readonly string[]) => {
    for (let start = 0; start < keys.length; start += ROWS_AT_ONCE) {
      const found = await trx
        .selectFrom('usage_series')
        .select(['id', 'key'])
        .where('key', 'in', keys.slice(start, start + ROWS_AT_ONCE))
        .execute();
      for (const { id, key } of found) ids.set(key, id);
    }
  };
  await find([...wanted.keys()]);
  const missing = [...wanted].filter(([key]) => !ids.has(key)).sort(([a], [b]) => (a < b ? -1 : 1));
  if (missing.length === 0) return ids;
  for (let start = 0; start < missing.length; start += ROWS_AT_ONCE) {
    await trx
      .insertInto('usage_series')
      .values(
        missing
          .slice(start, start + ROWS_AT_ONCE)
          .map(([key, { organization_id, endpoint_id, site_id }]) => ({
            key,
            organization_id,
            endpoint_id,
            site_id,
          })),
      )
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute();
  }
  await find(missing.map(([key]) => key));
  return ids;
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

async function addPaths(
  trx: Trx,
  day: number,
  rows: readonly { row: UsageBatchRow; series_id: number }[],
): Promise<void> {
  const values = rows.flatMap(({ row, series_id }) =>
    row.paths
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, requests, bytes_sent]) => ({ series_id, day, path, requests, bytes_sent })),
  );
  for (let start = 0; start < values.length; start += ROWS_AT_ONCE) {
    await trx
      .insertInto('usage_paths')
      .values(values.slice(start, start + ROWS_AT_ONCE))
      .onConflict((conflict) =>
        conflict.columns(['series_id', 'day', 'path']).doUpdateSet((eb) => ({
          requests: eb('usage_paths.requests', '+', eb.ref('excluded.requests')),
          bytes_sent: eb('usage_paths.bytes_sent', '+', eb.ref('excluded.bytes_sent')),
        })),
      )
      .execute();
  }
}

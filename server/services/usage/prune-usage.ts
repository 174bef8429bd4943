import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DeleteResult, type RawBuilder, sql } from 'kysely';
import { type Db, isPostgres } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { removeInSlices } from '../shared/remove-in-slices.ts';
import { dayOf, HOURS_KEPT_MS, hourOf, PATHS_KEPT_MS, PATHS_KEPT_PER_DAY } from './rules.ts';

/** If a node that was offline for longer than this returns and sends a batch twice, it is counted twice. */
const CURSORS_KEPT_MS = 400 * DAY_MS;
/** Series per statement, and the most rows that it removes: both keep it to a few milliseconds. */
const SERIES_AT_ONCE = 100;
const ROWS_AT_ONCE = 1_000;

const PATH_KEYS = ['series_id', 'day', 'path'];

/** Removes some rows and returns how many. */
type Removal = RawBuilder<unknown>;

/**
 * Removes hours and listed files that are too old, and for every past day all files but the most requested
 * ones. Days are kept forever. Safe to repeat and to interrupt: each statement is short and independent, and
 * between two of them other work gets a turn, because an embedded database serves nothing else meanwhile.
 */
export async function pruneUsage(
  { app }: RequestContext,
  stopping?: AbortSignal,
): Promise<{ hours: number; paths: number }> {
  const { db } = app;
  const now = app.clock.now();
  const pruned = { hours: 0, paths: 0 };
  await removeInSlices((limit) => removeCursors(db, now - CURSORS_KEPT_MS, limit), stopping);
  const repeat = async (removal: Removal): Promise<number> => {
    let removed = 0;
    while (!stopping?.aborted) {
      const { numAffectedRows } = await removal.execute(db);
      await nextTurn();
      removed += Number(numAffectedRows ?? 0n);
      if (Number(numAffectedRows ?? 0n) < ROWS_AT_ONCE) break;
    }
    return removed;
  };
  let last = 0;
  while (!stopping?.aborted) {
    const series = await selectSeries(db, last);
    const end = series.at(-1);
    if (end === undefined) break;
    pruned.hours += await repeat(removeHours(db, last, end, hourOf(now - HOURS_KEPT_MS)));
    pruned.paths += await repeat(removeOldPaths(db, last, end, dayOf(now - PATHS_KEPT_MS)));
    for (const id of series) {
      if (stopping?.aborted) break;
      for (const day of await findLongDays(db, id, dayOf(now))) {
        pruned.paths += await repeat(removeRarePaths(db, id, day));
      }
      await nextTurn();
    }
    last = end;
  }
  return pruned;
}

/** Every start of an edge leaves one, whatever the edge. */
function removeCursors(db: Db, before: number, limit: number): Promise<DeleteResult> {
  return (
    db
      .deleteFrom('usage_cursors')
      // Repeated for one that is being written to at this moment.
      .where('updated_at', '<', before)
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('node_id', 'boot_id'),
          'in',
          selectFrom('usage_cursors as old')
            .select(['old.node_id', 'old.boot_id'])
            .where('old.updated_at', '<', before)
            .limit(limit)
            .$asTuple('node_id', 'boot_id'),
        ),
      )
      .executeTakeFirstOrThrow()
  );
}

/** The next ids after a given one. */
async function selectSeries(db: Db, after: number): Promise<number[]> {
  const rows = await db
    .selectFrom('usage_series')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(SERIES_AT_ONCE)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Hours before an instant, for the series after one id and up to another. SQLite runs a cross join in the
 * order it is written: it goes to the oldest rows of each series by their key, and reads no others.
 */
function removeHours(db: Db, after: number, upTo: number, before: number): Removal {
  const keys = ['series_id', 'hour'];
  const old = sql`select usage_hours.series_id, usage_hours.hour from usage_series
    cross join usage_hours where usage_hours.series_id = usage_series.id and usage_hours.hour < ${before}
    and usage_series.id > ${after} and usage_series.id <= ${upTo} limit ${ROWS_AT_ONCE}`;
  return removeRows(db, 'usage_hours', keys, old);
}

function removeOldPaths(db: Db, after: number, upTo: number, before: number): Removal {
  const old = sql`select usage_paths.series_id, usage_paths.day, usage_paths.path from usage_series
    cross join usage_paths where usage_paths.series_id = usage_series.id and usage_paths.day < ${before}
    and usage_series.id > ${after} and usage_series.id <= ${upTo} limit ${ROWS_AT_ONCE}`;
  return removeRows(db, 'usage_paths', PATH_KEYS, old);
}

/**
 * Days of a series, before today, with more files than are kept. All of them are checked each time: the job
 * may not have run, and a node that was offline sends files of days long past.
 */
async function findLongDays(db: Db, seriesId: number, today: number): Promise<number[]> {
  const rows = await db
    .selectFrom('usage_paths')
    .select('day')
    .where('series_id', '=', seriesId)
    .where('day', '<', today)
    .groupBy('day')
    .having(({ fn }) => fn.countAll(), '>', PATHS_KEPT_PER_DAY)
    .execute();
  return rows.map(({ day }) => day);
}

/** Of the files of a day, those after the ones that are kept. */
function removeRarePaths(db: Db, seriesId: number, day: number): Removal {
  const rare = sql`select series_id, day, path from usage_paths where series_id = ${seriesId} and day = ${day}
    order by bytes_sent desc, path limit ${ROWS_AT_ONCE} offset ${PATHS_KEPT_PER_DAY}`;
  return removeRows(db, 'usage_paths', PATH_KEYS, rare);
}

/**
 * The rows of some keys. On PostgreSQL, those that a late batch is being added to are left for the next time:
 * waiting for them while the batch waits for others of ours would be a deadlock. Rows are identified by their
 * physical location there, because by their keys it would search the whole table for them.
 */
function removeRows(db: Db, table: string, keys: readonly string[], chosen: RawBuilder<unknown>): Removal {
  const [from, columns] = [sql.table(table), sql.join(keys.map((key) => sql.ref(key)))];
  return isPostgres(db)
    ? sql`delete from ${from} where ctid = any(array(
        select ctid from ${from} where (${columns}) in (${chosen}) for update skip locked))`
    : sql`delete from ${from} where (${columns}) in (${chosen})`;
}

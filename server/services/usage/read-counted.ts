import { sql } from 'kysely';
import { type Executor, isPostgres } from '#db/client.ts';
import { inTurns, type SeriesCondition, selectCounted, type UsageReading } from './queries.ts';
import type { Granularity, UsageRange } from './rules.ts';
import type { UsageTotals } from './schema.ts';
import { TOTAL_NAMES } from './totals.ts';

/** What a series served on a day or in an hour. */
export interface CountedRow extends UsageTotals {
  /** Start of the period, in epoch milliseconds. */
  at: number;
  series_id: number;
}

/** Which rows are read. */
export interface CountedQuery {
  granularity: Granularity;
  range: UsageRange;
  condition: SeriesCondition;
  /** Of each part of the range that is read at once; without it, all. */
  rowsMax?: number;
}

/**
 * Returns the usage of the series of a condition in a range, ordered by time and then by series. The primary key has the reverse order: rows are sorted here, which takes a
 * fraction of the time that databases need.
 */
export async function readCounted(
  executor: Executor,
  { granularity, range, condition, rowsMax }: CountedQuery,
): Promise<CountedRow[]> {
  const all = selectCounted(executor, granularity, range, condition).selectAll('counted');
  const counted = rowsMax === undefined ? all : all.limit(rowsMax);
  const rows = isPostgres(executor) ? await readAsText(executor, counted) : await counted.execute();
  const beginnings = new Map<number, CountedRow[]>();
  for (const row of rows) {
    const same = beginnings.get(row.at);
    if (same) same.push(row);
    else beginnings.set(row.at, [row]);
  }
  const sorted: CountedRow[] = [];
  for (const at of [...beginnings.keys()].sort((a, b) => a - b)) {
    for (const row of inOrderOfSeries(beginnings.get(at) ?? [])) sorted.push(row);
  }
  return sorted;
}

/**
 * Yields the rows of {@link readCounted} for one part of the range after the other. PostgreSQL runs in its own processes, so it
 * reads the next part while the rows of the previous one are processed here.
 */
export async function* readInTurns(reading: UsageReading, query: CountedQuery): AsyncGenerator<CountedRow[]> {
  const { executor } = reading;
  let ahead: Promise<CountedRow[]> | null = null;
  for await (const part of inTurns(reading, query.range)) {
    const read = readCounted(executor, { ...query, range: part });
    // If an earlier part fails or has too many rows, this one is never awaited.
    read.catch(() => undefined);
    if (ahead !== null) yield await ahead;
    if (isPostgres(executor)) ahead = read;
    else yield await read;
  }
  if (ahead !== null) yield await ahead;
}

/** Usually they already are: the key by which they are found begins with the series. */
function inOrderOfSeries(rows: CountedRow[]): CountedRow[] {
  const isInOrder = rows.every(({ series_id }, at) => at === 0 || series_id > (rows[at - 1]?.series_id ?? 0));
  return isInOrder ? rows : rows.sort((a, b) => a.series_id - b.series_id);
}

/**
 * Reads rows from PostgreSQL as one text of JSON arrays, `[1,2],[3,4]`. Sending them as rows takes the server twice as long,
 * and parsing those in node-postgres takes longer than all other work on them. Text from PostgreSQL's own arrays is slower, too.
 */
async function readAsText(
  executor: Executor,
  counted: ReturnType<ReturnType<typeof selectCounted>['selectAll']>,
): Promise<CountedRow[]> {
  const columns = ['at', 'series_id', ...TOTAL_NAMES].map((name) => sql.ref(`counted.${name}`));
  const { rows } = await sql<{ text: string | null }>`
    select string_agg('[' || concat_ws(',', ${sql.join(columns)}) || ']', ',') as text
    from (${counted}) as counted`.execute(executor);
  const lists: number[][] = JSON.parse(`[${rows[0]?.text ?? ''}]`);
  return lists.map((values) => {
    const [at = 0, series_id = 0, sent = 0, requests = 0, hits = 0, misses = 0, ...rest] = values;
    const [ok = 0, moved = 0, wrong = 0, failed = 0, refused = 0, refusedBytes = 0] = rest;
    return {
      at,
      series_id,
      total_bytes_sent: sent,
      total_requests: requests,
      total_cache_hits: hits,
      total_cache_misses: misses,
      total_status_2xx: ok,
      total_status_3xx: moved,
      total_status_4xx: wrong,
      total_status_5xx: failed,
      total_refused_requests: refused,
      total_refused_bytes_sent: refusedBytes,
    };
  });
}

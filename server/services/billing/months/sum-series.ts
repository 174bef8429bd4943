import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { type Db, type Executor, isPostgres } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { HOUR_MS, MINUTE_MS } from '#server/durations.ts';
import { findPastDaysRevision } from '../../usage/past-days-revision.ts';
import { dayOf } from '../../usage/rules.ts';

/** A range of whole days in milliseconds since the epoch, half-open. */
export interface Days {
  start: number;
  end: number;
}

/** What a series served; text, since bytes can exceed what a number holds exactly. */
export interface SeriesSum {
  series_id: number;
  bytes: string;
  requests: string;
}

/** The sums of days that are over, and of which revision. */
interface PastSums {
  revision: string;
  sums: readonly SeriesSum[];
}

/** Series of all organizations whose sums are kept, at some 100 bytes each. */
const KEPT_MAX = 100_000;
/** An older program on another machine, during an upgrade, notes no revision. */
const KEPT_MS = 10 * MINUTE_MS;
/** So long after its end a day is over, whatever the difference between the clocks of machines. */
const OVER_AFTER_MS = HOUR_MS;

const keptOf = new WeakMap<Db, LRUCache<string, PastSums>>();

/** Returns the bytes and requests that each series of organizations served in a range of days. */
export async function sumSeries(
  executor: Executor,
  organizationIds: readonly string[],
  { start, end }: Days,
): Promise<SeriesSum[]> {
  const ids = executor
    .selectFrom('usage_series')
    .where('organization_id', 'in', organizationIds)
    .select('id');
  return (
    executor
      .selectFrom('usage_days')
      .select('series_id')
      .select([sumAsText('bytes_sent').as('bytes'), sumAsText('requests').as('requests')])
      // Written so that PostgreSQL reads only the days of these series.
      .where(
        isPostgres(executor) ? sql<boolean>`series_id = any(array${ids})` : sql<boolean>`series_id in ${ids}`,
      )
      .where('day', '>=', start)
      .where('day', '<', end)
      .groupBy('series_id')
      .execute()
  );
}

/**
 * Returns the same of one organization for what asks again and again: the days that are over are read only once, and again when
 * counts for them arrive late.
 */
export async function sumSeriesAgain(
  executor: Executor,
  { db, clock }: Pick<App, 'db' | 'clock'>,
  organizationId: string,
  { start, end }: Days,
): Promise<SeriesSum[]> {
  const today = Math.min(dayOf(clock.now() - OVER_AFTER_MS), end);
  if (today <= start) return sumSeries(executor, [organizationId], { start, end });
  const past = await findPast(executor, db, organizationId, { start, end: today });
  const now = await sumSeries(executor, [organizationId], { start: today, end });
  const sums = new Map(past.map((sum) => [sum.series_id, sum]));
  for (const { series_id, bytes, requests } of now) {
    const before = sums.get(series_id);
    sums.set(series_id, {
      series_id,
      bytes: add(bytes, before?.bytes),
      requests: add(requests, before?.requests),
    });
  }
  return [...sums.values()];
}

async function findPast(
  executor: Executor,
  db: Db,
  organizationId: string,
  { start, end }: Days,
): Promise<readonly SeriesSum[]> {
  const kept = keptOf.get(db) ?? new LRUCache({ ttl: KEPT_MS, maxSize: KEPT_MAX });
  keptOf.set(db, kept);
  const key = `${organizationId} ${start} ${end}`;
  const revision = await findPastDaysRevision(executor);
  const known = kept.get(key);
  if (known?.revision === revision) return known.sums;
  const sums = await sumSeries(executor, [organizationId], { start, end });
  kept.set(key, { revision, sums }, { size: sums.length + 1 });
  return sums;
}

function add(one: string, other = '0'): string {
  return String(BigInt(one) + BigInt(other));
}

function sumAsText(column: 'bytes_sent' | 'requests') {
  return sql<string>`cast(coalesce(sum(${sql.ref(column)}), 0) as text)`;
}

import { sql } from 'kysely';
import { type Db, isPostgres } from '#db/client.ts';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { newId } from '#server/ids.ts';
import { COUNTERS, dayOf, hourOf } from '#server/services/usage/rules.ts';

/** Endpoints of the measured organization. */
export const ENDPOINTS = 200;
/** The measured days, including today. */
export const DAYS = 90;
/** Days are kept forever: a year of them surrounds the measured ones. */
const DAYS_KEPT = 365;
/** Endpoints of every other organization. */
const ENDPOINTS_OF_OTHERS = 10;
/** Rows per statement; SQLite accepts 32,766 values. */
const ROWS_AT_ONCE = 2_000;
/** Days whose hours are written at once. */
const DAYS_AT_ONCE = 10;

/** An installation that has counted for a year. */
export interface UsageWorld {
  /** Owns {@link ENDPOINTS} endpoints until {@link adoptUsage} gives them to another organization. */
  organizationId: string;
  endpointIds: readonly string[];
  siteId: string;
  hours: number;
  days: number;
}

interface NewSeries {
  id: number;
  organization_id: string;
  endpoint_id: string;
  site_id: string;
  key: string;
}

/**
 * Fills a migrated database with about `hoursMin` rows in `usage_hours` and the days they add up to. Rows are
 * written in order of time, like nodes do, so that those of one endpoint are as scattered as in a real
 * installation.
 */
export async function seedUsage(db: Db, now: number, hoursMin: number): Promise<UsageWorld> {
  const today = dayOf(now);
  const hoursPerSeries = (today - (DAYS - 1) * DAY_MS - hourOf(now)) / -HOUR_MS + 1;
  const series = makeSeries(Math.max(ENDPOINTS, Math.ceil(hoursMin / hoursPerSeries)));
  const restore = await loosen(db);
  await addSeries(db, series, now);
  const firstDay = today - (DAYS_KEPT - 1) * DAY_MS;
  const days = Array.from({ length: DAYS_KEPT }, (_, at) => firstDay + at * DAY_MS);
  const hoursOf = (day: number) => (day === today ? (hourOf(now) - today) / HOUR_MS + 1 : 24);
  for (const day of days) {
    await insertCounted(db, 'usage_days', [{ at: day, day, factor: hoursOf(day) }]);
  }
  for (const some of chunk(days.slice(-DAYS), DAYS_AT_ONCE)) {
    const hours = some.flatMap((day) =>
      Array.from({ length: hoursOf(day) }, (_, hour) => ({ at: day + hour * HOUR_MS, day, factor: 1 })),
    );
    await insertCounted(db, 'usage_hours', hours);
  }
  await restore();
  const own = series.filter(({ organization_id }) => organization_id === series[0]?.organization_id);
  return {
    organizationId: own[0]?.organization_id ?? '',
    endpointIds: own.map(({ endpoint_id }) => endpoint_id),
    siteId: own[0]?.site_id ?? '',
    hours: series.length * hoursPerSeries,
    days: series.length * DAYS_KEPT,
  };
}

/** Gives the endpoints with their rows to another organization. */
export async function adoptUsage(db: Db, world: UsageWorld, organizationId: string): Promise<void> {
  await db
    .updateTable('usage_series')
    .set({
      organization_id: organizationId,
      key: sql<string>`cast(${`${organizationId}/`} as text) || endpoint_id || '/' || site_id`,
    })
    .where('organization_id', '=', world.organizationId)
    .execute();
  await db
    .updateTable('resource_lifetimes')
    .set({ organization_id: organizationId })
    .where('organization_id', '=', world.organizationId)
    .execute();
}

/**
 * The endpoints of the first organization are interleaved with those of the others, like endpoints created
 * over time.
 */
function makeSeries(count: number): NewSeries[] {
  const stride = Math.floor(count / ENDPOINTS);
  const own = { organization: newId(), site: newId() };
  let other = { organization: newId(), site: newId() };
  let endpoints = 0;
  return Array.from({ length: count }, (_, at) => {
    const isOwn = at % stride === 0 && at / stride < ENDPOINTS;
    if (!isOwn) {
      endpoints += 1;
      if (endpoints % ENDPOINTS_OF_OTHERS === 0) other = { organization: newId(), site: newId() };
    }
    const { organization, site } = isOwn ? own : other;
    const endpoint = newId();
    return {
      id: at + 1,
      organization_id: organization,
      endpoint_id: endpoint,
      site_id: site,
      key: `${organization}/${endpoint}/${site}`,
    };
  });
}

async function addSeries(db: Db, series: readonly NewSeries[], now: number): Promise<void> {
  for (const some of chunk(series, ROWS_AT_ONCE)) {
    await db.insertInto('usage_series').values(some).execute();
    await db
      .insertInto('resource_lifetimes')
      .values(
        some.map(({ id, organization_id, endpoint_id }) => ({
          resource_id: endpoint_id,
          resource_type: 'endpoint' as const,
          organization_id,
          name: `www.customer-${id}.example.ca`,
          started_at: now - DAYS_KEPT * DAY_MS,
          ended_at: null,
        })),
      )
      .execute();
  }
  // The rows have explicit ids: PostgreSQL's next one must come after them.
  if (isPostgres(db)) {
    await sql`select setval(pg_get_serial_sequence('usage_series', 'id'), ${series.length})`.execute(db);
  }
}

/** A day, or an hour of it. */
interface CountedTime {
  at: number;
  day: number;
  /** How many hours it represents. */
  factor: number;
}

/**
 * Every hour of a day has the same counts, so that a day is the sum of its hours without adding them up.
 * PostgreSQL keeps rows where they were written, so they are written in order of time there; SQLite keeps a
 * series together, and is fast if it is written together.
 */
async function insertCounted(
  db: Db,
  table: 'usage_days' | 'usage_hours',
  times: readonly CountedTime[],
): Promise<void> {
  const values: Record<(typeof COUNTERS)[number], string> = {
    bytes_sent: 'requests * 21312',
    requests: 'requests',
    cache_hits: 'requests - 60 * factor',
    cache_misses: '60 * factor',
    status_2xx: 'requests - 90 * factor',
    status_3xx: '50 * factor',
    status_4xx: '38 * factor',
    status_5xx: '2 * factor',
    refused_requests: '0',
    refused_bytes: '0',
  };
  const unit = table === 'usage_days' ? 'day' : 'hour';
  const rows = times.map(
    ({ at, day, factor }) => `(cast(${at} as bigint), ${((day / DAY_MS) * 104_729) % 2_000}, ${factor})`,
  );
  const loops = isPostgres(db) ? 'times cross join usage_series' : 'usage_series cross join times';
  await sql
    .raw(
      `with times(at, shift, factor) as (values ${rows.join(', ')})
       insert into ${table} (series_id, ${unit}, ${COUNTERS.join(', ')})
       select id, at, ${COUNTERS.map((name) => values[name]).join(', ')}
       from (
         select usage_series.id, times.at, times.factor,
           (500 + (usage_series.id * 7919 + times.shift) % 2000) * times.factor as requests
         from ${loops}
       ) as counted`,
    )
    .execute(db);
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}

/**
 * Prepares a database without other users for being filled quickly; returns a function that restores it, with
 * fresh statistics.
 */
async function loosen(db: Db): Promise<() => Promise<void>> {
  const run = async (...statements: string[]) => {
    for (const statement of statements) await sql.raw(statement).execute(db);
  };
  if (!isPostgres(db)) {
    await run('pragma synchronous = off', 'pragma cache_size = -1000000');
    return () => run('pragma synchronous = full', 'pragma cache_size = -2000');
  }
  await run(`alter system set max_wal_size = '8GB'`, 'select pg_reload_conf()');
  // Indexing unordered keys is faster for all rows at the end than one by one.
  await run('alter table usage_hours drop constraint usage_hours_pk');
  return () =>
    run(
      'alter table usage_hours add constraint usage_hours_pk primary key (series_id, hour)',
      'vacuum analyze usage_series, usage_hours, usage_days, resource_lifetimes',
      'checkpoint',
    );
}

import { join } from 'node:path';
import { type Db, openDatabase } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { SINCE_VALUE } from '#server/services/billing/months/billing-terms.ts';
import { COUNTERS, type Counter, dayOf, hourOf } from '#server/services/usage/rules.ts';
import { type SeededRandom, seededRandom } from '#tests/support/seeded-random.ts';
import type { TestServer } from '#tests/support/server/test-server.ts';

const DAYS = 90;
const ROWS_AT_ONCE = 500;
/** Of the busiest endpoint, on an ordinary weekday. */
const REQUESTS_A_DAY = 60_000;
const PATHS: readonly [path: string, share: number, bytes: number][] = [
  ['/', 0.5, 18_000],
  ['/maps/saint-maurice.html', 0.25, 42_000],
  ['/maps/batiscan.html', 0.15, 38_000],
  ['/style.css', 0.1, 2_400],
];

type Counts = Record<Counter, number>;

/**
 * Writes what the endpoints of an organization served in the last 90 days, as if they had been there for a hundred. It is one
 * transaction, because the program's own jobs may close the months at any time, and would bill only what is written by then.
 */
export async function fillUsage(server: TestServer, organizationId: string): Promise<void> {
  const database = openDatabase(`sqlite:${join(server.dataDir, 'portage.sqlite')}`);
  try {
    await inTransaction(database, (db) => writeUsage(db, organizationId));
  } finally {
    await database.destroy();
  }
}

async function writeUsage(db: Db, organizationId: string): Promise<void> {
  const now = Date.now();
  const begun = now - 100 * DAY_MS;
  await db
    .updateTable('resource_lifetimes')
    .set({ started_at: begun })
    .where('organization_id', '=', organizationId)
    .execute();
  // Usage before billing began is free, and the cost of the month would contradict the usage beside it.
  await db
    .updateTable('installation_values')
    .set({ value: String(begun) })
    .where('name', '=', `${SINCE_VALUE}sandbox`)
    .execute();
  const endpoints = await db
    .selectFrom('cdn_endpoints')
    .select(['id', 'site_id'])
    .where('organization_id', '=', organizationId)
    .where('proven_at', 'is not', null)
    .orderBy('created_at')
    .execute();
  const random = seededRandom(1);
  for (const [index, endpoint] of endpoints.entries()) {
    const { id } = await db
      .insertInto('usage_series')
      .values({
        organization_id: organizationId,
        endpoint_id: endpoint.id,
        site_id: endpoint.site_id,
        key: `${organizationId}/${endpoint.id}/${endpoint.site_id ?? ''}`,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await fillSeries(db, id, { now, random, requestsADay: REQUESTS_A_DAY / (index + 1) ** 2 });
  }
}

async function fillSeries(
  db: Db,
  series_id: number,
  { now, random, requestsADay }: { now: number; random: SeededRandom; requestsADay: number },
): Promise<void> {
  const hours: (Counts & { series_id: number; hour: number })[] = [];
  const days: (Counts & { series_id: number; day: number })[] = [];
  const paths: { series_id: number; day: number; path: string; requests: number; bytes_sent: number }[] = [];
  const firstDay = dayOf(now) - (DAYS - 1) * DAY_MS;
  for (let day = firstDay; day <= now; day += DAY_MS) {
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
    const busy = (isWeekend ? 0.6 : 1) * (0.85 + 0.3 * random.next());
    const ofDay = Object.fromEntries(COUNTERS.map((counter) => [counter, 0])) as Counts;
    for (let hour = day; hour < day + DAY_MS && hour < hourOf(now); hour += HOUR_MS) {
      // The fewest visitors at nine in the morning UTC, which is night in Québec.
      const share = 1 - 0.8 * Math.cos(((new Date(hour).getUTCHours() - 9) / 12) * Math.PI);
      const counts = countsOf(Math.round((requestsADay / 24) * busy * share), random);
      for (const counter of COUNTERS) ofDay[counter] += counts[counter];
      hours.push({ series_id, hour, ...counts });
    }
    if (ofDay.requests === 0) continue;
    days.push({ series_id, day, ...ofDay });
    for (const [path, share, bytes] of PATHS) {
      const requests = Math.round(ofDay.requests * share);
      paths.push({ series_id, day, path, requests, bytes_sent: requests * bytes });
    }
  }
  for (const rows of inParts(hours)) await db.insertInto('usage_hours').values(rows).execute();
  for (const rows of inParts(days)) await db.insertInto('usage_days').values(rows).execute();
  for (const rows of inParts(paths)) await db.insertInto('usage_paths').values(rows).execute();
}

function countsOf(requests: number, random: SeededRandom): Counts {
  const missing = Math.round(requests * 0.01 * random.next());
  const redirected = Math.round(requests * 0.05);
  const misses = Math.round(requests * 0.04);
  return {
    requests,
    bytes_sent: requests * (24_000 + random.below(4_000)),
    cache_hits: requests - misses,
    cache_misses: misses,
    status_2xx: requests - missing - redirected,
    status_3xx: redirected,
    status_4xx: missing,
    status_5xx: 0,
    refused_requests: 0,
    refused_bytes: 0,
  };
}

function inParts<T>(rows: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, part) =>
    rows.slice(part * ROWS_AT_ONCE, (part + 1) * ROWS_AT_ONCE),
  );
}

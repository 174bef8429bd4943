import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { type Executor, isPostgres } from '#db/client.ts';
import type { Database } from '#db/schema/database.ts';
import { dayOf, type UsageRange } from '../../usage/rules.ts';
import { PART_BYTES, PART_DAY, PART_SINCE } from '../uploads/part-days.ts';
import { byteHoursByDay } from './byte-hours.ts';

/** What a bucket stored and transferred on a day. */
export interface BucketDay {
  bucket_id: string;
  bucket_name: string;
  day: number;
  byte_hours: number;
  requests: number;
  bytes_received: number;
  bytes_sent: number;
  refused_requests: number;
}

/** Which days of which buckets. */
interface AskedDays {
  organizationId: string;
  range: UsageRange;
  /** Only these; null for all, deleted ones too. */
  bucketIds: readonly string[] | null;
  /** Until when current storage is included. */
  now: number;
}

const ATTEMPTS = 5;

const FIGURES = ['byte_hours', 'requests', 'bytes_received', 'bytes_sent', 'refused_requests'] as const;

/**
 * Returns the days of an organization's buckets in a range with any storage or requests: the recorded ones,
 * and what is stored now since the last change. By day, then by bucket.
 */
export async function readBucketDays(executor: Executor, asked: AskedDays): Promise<BucketDay[]> {
  for (let attempt = 1; ; attempt += 1) {
    const buckets = await readStored(executor, asked);
    const rows = await readRecorded(executor, asked);
    // What was measured in between would be in both.
    const isSame = fingerprint(await readStored(executor, asked)) === fingerprint(buckets);
    if (isSame || attempt === ATTEMPTS) return withStored(rows, buckets, asked);
  }
}

function readRecorded(executor: Executor, asked: AskedDays): Promise<BucketDay[]> {
  const recorded = executor
    .selectFrom('bucket_days')
    .where('organization_id', '=', asked.organizationId)
    .where('day', '>=', asked.range.start)
    .where('day', '<', asked.range.end)
    .where(onlyAsked('bucket_days.bucket_id', asked));
  if (isPostgres(executor)) return readAsText(recorded);
  return recorded.select(['bucket_id', 'bucket_name', 'day', ...FIGURES]).execute();
}

/**
 * Reads days from PostgreSQL as one text of JSON arrays for each bucket, `[1,2],[3,4]`: with thousands of buckets, parsing rows in
 * node-postgres takes several times as long.
 */
async function readAsText(
  recorded: SelectQueryBuilder<Database, 'bucket_days', object>,
): Promise<BucketDay[]> {
  const columns = ['day', ...FIGURES].map((name) => sql.ref(name));
  const rows = await recorded
    .select(['bucket_id', 'bucket_name'])
    .select(sql<string>`string_agg('[' || concat_ws(',', ${sql.join(columns)}) || ']', ',')`.as('text'))
    .groupBy(['bucket_id', 'bucket_name'])
    .execute();
  return rows.flatMap(({ bucket_id, bucket_name, text }) => {
    const lists: number[][] = JSON.parse(`[${text}]`);
    return lists.map(([day = 0, byte_hours = 0, requests = 0, received = 0, sent = 0, refused = 0]) => ({
      bucket_id,
      bucket_name,
      day,
      byte_hours,
      requests,
      bytes_received: received,
      bytes_sent: sent,
      refused_requests: refused,
    }));
  });
}

/**
 * Returns the buckets with the storage that is not yet in their days. Each bucket has a row for what it held before,
 * one for each change, and one for each day's parts of uploads in progress.
 */
async function readStored(executor: Executor, asked: AskedDays) {
  const before = executor
    .selectFrom('buckets')
    .select(['id', 'name', 'stored_bytes as bytes', 'measured_until as since', 'measured_until'])
    .where('organization_id', '=', asked.organizationId)
    .where('status', '!=', 'deleting')
    .where(onlyAsked('buckets.id', asked));
  const changes = executor
    .selectFrom('bucket_changes')
    .innerJoin('buckets', 'buckets.id', 'bucket_changes.bucket_id')
    .select(['buckets.id', 'name', 'bytes', 'changed_at as since', 'measured_until'])
    .where('organization_id', '=', asked.organizationId)
    .where('status', '!=', 'deleting')
    .where(onlyAsked('buckets.id', asked));
  const parts = executor
    .selectFrom('buckets')
    .innerJoin('object_uploads', 'object_uploads.bucket_id', 'buckets.id')
    .innerJoin('object_pieces', 'object_pieces.content_id', 'object_uploads.id')
    .select(['buckets.id', 'buckets.name', PART_BYTES.as('bytes'), PART_SINCE.as('since'), 'measured_until'])
    .where('organization_id', '=', asked.organizationId)
    .where('status', '!=', 'deleting')
    .where(onlyAsked('buckets.id', asked))
    .where('object_pieces.size', '>', 0)
    .groupBy(['buckets.id', 'buckets.name', 'measured_until', PART_DAY]);
  return before.unionAll(changes).unionAll(parts).execute();
}

type StoredRow = Awaited<ReturnType<typeof readStored>>[number];

function fingerprint(rows: readonly StoredRow[]): string {
  return rows
    .map(({ id, measured_until }) => `${id} ${measured_until}`)
    .sort()
    .filter((text, at, all) => text !== all[at - 1])
    .join();
}

function onlyAsked(column: string, { bucketIds }: AskedDays) {
  if (bucketIds === null) return sql<SqlBool>`true`;
  return sql<SqlBool>`${sql.ref(column)} in (${sql.join(bucketIds.length === 0 ? [''] : bucketIds)})`;
}

/** Returns recorded days with what is stored now added to them. By day, then by bucket. */
function withStored(
  rows: readonly BucketDay[],
  stored: readonly StoredRow[],
  { range, now }: AskedDays,
): BucketDay[] {
  // Most days are over: nothing is added to them.
  const growsFrom = stored.reduce(
    (first, { since }) => Math.min(first, dayOf(since)),
    Number.POSITIVE_INFINITY,
  );
  const growing = new Map<string, BucketDay>();
  for (const row of rows) if (row.day >= growsFrom) growing.set(`${row.day} ${row.bucket_id}`, row);
  const over = rows.filter(({ day }) => day < growsFrom);
  for (const { id, name, bytes, since } of stored) {
    for (const [day, byteHours] of byteHoursByDay([{ bytes, since }], now)) {
      if (day < range.start || day >= range.end) continue;
      const key = `${day} ${id}`;
      const known = growing.get(key) ?? {
        ...{ bucket_id: id, bucket_name: name, day, byte_hours: 0 },
        ...{ requests: 0, bytes_received: 0, bytes_sent: 0, refused_requests: 0 },
      };
      growing.set(key, { ...known, byte_hours: known.byte_hours + byteHours });
    }
  }
  const days = Map.groupBy([...over, ...growing.values()], ({ day }) => day);
  return [...days.keys()]
    .sort((one, other) => one - other)
    .flatMap((day) => (days.get(day) ?? []).sort((one, other) => (one.bucket_id < other.bucket_id ? -1 : 1)));
}

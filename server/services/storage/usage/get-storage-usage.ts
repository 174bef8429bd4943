import type { z } from 'zod';
import { type OrganizationContext, requireAction, requireBucketScope } from '#server/context.ts';
import { DAY_MS, HOUR_MS } from '#server/durations.ts';
import { AppError } from '#server/errors.ts';
import { requireRange } from '../../usage/require-range.ts';
import { dayOf, formatDay, type UsageRange } from '../../usage/rules.ts';
import { type StorageTotals, type StorageUsage, storageUsageInput } from '../../usage/schema.ts';
import { readableBucketIds } from '../buckets/readable-buckets.ts';
import { findBucket } from '../queries.ts';
import { wholeByteHours } from './byte-hours.ts';
import { type BucketDay, readBucketDays } from './read-bucket-days.ts';

/** The requested days of buckets. */
export interface AskedBucketDays {
  range: UsageRange;
  days: BucketDay[];
}

/**
 * Returns the storage and traffic of buckets in a range: the total, by day, and for each bucket with its
 * share, including deleted ones. A credential sees the buckets that it can read.
 * @throws permission_required, out_of_scope, bucket_not_found, invalid_input for a range too long
 */
export async function getStorageUsage(
  context: OrganizationContext,
  input: z.input<typeof storageUsageInput>,
): Promise<StorageUsage> {
  const { app } = context;
  const { buckets_max } = storageUsageInput.parse(input);
  const { range, days } = await readAskedDays(context, input);
  const points: StorageUsage['points'] = [];
  const now = app.clock.now();
  const last = Math.min(dayOf(now), range.end - DAY_MS);
  const byDay = Map.groupBy(days, ({ day }) => day);
  for (let day = range.start; day <= last; day += DAY_MS) {
    points.push({ date: formatDay(day), ...totalsOf(byDay.get(day) ?? []) });
  }
  const standing = await findStanding(context);
  const buckets = [...Map.groupBy(days, ({ bucket_id }) => bucket_id)].map(([bucket_id, own]) => ({
    bucket_id,
    name: own[0]?.bucket_name ?? bucket_id,
    is_deleted: !standing.has(bucket_id),
    ...totalsOf(own),
  }));
  return {
    start_date: formatDay(range.start),
    end_date: formatDay(range.end - DAY_MS),
    elapsed_hours: Math.max(0, Math.min(now, range.end) - range.start) / HOUR_MS,
    summary: totalsOf(days),
    points,
    buckets: buckets
      .sort((one, other) => other.byte_hours - one.byte_hours || (one.name < other.name ? -1 : 1))
      .slice(0, buckets_max),
  };
}

/**
 * Returns the requested days that may be seen.
 * @throws like getStorageUsage
 */
export async function readAskedDays(
  context: OrganizationContext,
  input: z.input<typeof storageUsageInput>,
): Promise<AskedBucketDays> {
  requireAction(context, 'usage.read');
  const { bucket_id, ...requested } = storageUsageInput.parse(input);
  const { app, organization } = context;
  const now = app.clock.now();
  const range = requireRange(requested, now);
  let bucketIds = readableBucketIds(context);
  if (bucket_id !== undefined) {
    requireBucketScope(context, bucket_id, 'read');
    const isThere = (await findBucket(app.db, organization.id, bucket_id)) !== null;
    if (!isThere && !(await wasThere(context, bucket_id))) throw new AppError('bucket_not_found');
    bucketIds = [bucket_id];
  }
  const days = await readBucketDays(app.db, { organizationId: organization.id, range, bucketIds, now });
  return { range, days };
}

/** Returns the ids of the organization's buckets that are not deleted. */
async function findStanding({ app, organization }: OrganizationContext): Promise<ReadonlySet<string>> {
  const rows = await app.db
    .selectFrom('buckets')
    .select('id')
    .where('organization_id', '=', organization.id)
    .where('status', '!=', 'deleting')
    .execute();
  return new Set(rows.map(({ id }) => id));
}

async function wasThere({ app, organization }: OrganizationContext, bucketId: string): Promise<boolean> {
  const row = await app.db
    .selectFrom('bucket_days')
    .select('day')
    .where('bucket_id', '=', bucketId)
    .where('organization_id', '=', organization.id)
    .executeTakeFirst();
  return row !== undefined;
}

function totalsOf(days: readonly BucketDay[]): StorageTotals {
  const sum = (of: (day: BucketDay) => number) => days.reduce((total, day) => total + of(day), 0);
  return {
    byte_hours: sum((day) => wholeByteHours(day.byte_hours)),
    total_requests: sum((day) => day.requests),
    total_bytes_received: sum((day) => day.bytes_received),
    total_bytes_sent: sum((day) => day.bytes_sent),
    total_refused_requests: sum((day) => day.refused_requests),
  };
}

import { z } from 'zod';
import { HOUR_MS } from '#server/durations.ts';
import { rowsOf } from '../shared/row-rules.ts';
import { INSTANT_LENGTH_MAX, idSchema, wholeNumber } from '../shared/schema.ts';
import { GRANULARITIES, PERIODS, type RangeRequest, toUsageDay } from './rules.ts';

const count = z.number().int().nonnegative();

/**
 * A {@link count} in a response. Tens of thousands are validated at once, so only the type is checked: sums
 * of counts are counts.
 */
const counted = z.number().meta({ type: 'integer', minimum: 0 });

/** An id in such a response, with {@link idSchema}'s format: it comes from our own rows. */
const namedId = z.string().meta({ maxLength: 64, pattern: '^[\\w-]+$' });

const startDate = z.iso.date().describe('The first day of the range (UTC), included.');
const endDate = z.iso.date().describe('The last day of the range (UTC), included.');

/** What is counted about requests. */
export const usageTotalsSchema = z.object({
  total_bytes_sent: counted.describe(
    'Bytes on the wire: heads and bodies as sent, possibly compressed, without TLS. An aborted transfer ' +
      'counts what had been sent.',
  ),
  total_requests: counted.describe(
    'Requests that got a response: hits and misses together, without refused ones.',
  ),
  total_cache_hits: counted.describe('Served from memory.'),
  total_cache_misses: counted.describe('Read from the store first.'),
  total_status_2xx: counted.describe('Responses with a status of 200 to 299.'),
  total_status_3xx: counted.describe(
    'Responses with a status of 300 to 399: redirects, and 304 for what the client already had.',
  ),
  total_status_4xx: counted.describe('Responses with a status of 400 to 499, most of them 404.'),
  total_status_5xx: counted.describe('Responses with a status of 500 to 599.'),
  total_refused_requests: counted.describe(
    'Refused while a spending limit or a suspension stopped serving: in no other field, and not billed.',
  ),
  total_refused_bytes_sent: counted.describe(
    'Bytes of the responses to those: in no other field, and not billed.',
  ),
});
export type UsageTotals = z.infer<typeof usageTotalsSchema>;

/** `2026-11-21`; for an hour, the instant of its start. */
const dateSchema = z
  .string()
  .meta({
    anyOf: [
      { type: 'string', format: 'date' },
      { type: 'string', format: 'date-time' },
    ],
  })
  .describe(
    'The day in UTC (`2026-11-21`); with the granularity `hour`, the instant at which the hour began.',
  );

const endpointId = namedId.nullable().describe('The endpoint; null for a site’s platform names.');

/** What an endpoint, or a site at its platform names, served on a day or in an hour. */
const usageRowSchema = usageTotalsSchema.extend({
  cdn_endpoint_id: endpointId,
  site_id: namedId.nullable().describe('The site that was served; null for redirects.'),
  date: dateSchema,
});
export type UsageRow = z.infer<typeof usageRowSchema>;

/** A UTC day, or an instant in it. */
const dayInput = z
  .union(
    [z.iso.date(), z.iso.datetime({ offset: true }).max(INSTANT_LENGTH_MAX)],
    'must be a date such as 2026-11-21',
  )
  .transform(toUsageDay)
  // An offset can lead outside the years that a date can express: those texts sort before all of these.
  .refine((day) => day >= '1970-01-01' && day <= '9999-12-31', 'must be from 1970-01-01 to 9999-12-31');

/**
 * Which days. Dates make a custom range, inclusive; `end_date` defaults to today. Without dates `period`
 * decides, by default the month, or the last 30 days for one endpoint.
 */
const rangeShape = z.object({
  period: z.enum(PERIODS).optional(),
  start_date: dayInput.optional(),
  end_date: dayInput.optional(),
  /** Only this endpoint. */
  cdn_endpoint_id: idSchema.optional(),
  /** Only this site, at its own names and at those of its endpoints. */
  site_id: idSchema.optional(),
});

/** Parameters of a range that contradict each other, with the field to blame. */
function checkRange({ period, start_date, end_date }: RangeRequest, refinement: z.core.$RefinementCtx): void {
  const blame = (path: string, message: string) =>
    refinement.addIssue({ code: 'custom', path: [path], message });
  if (start_date === undefined && end_date !== undefined) blame('start_date', 'is needed with end_date');
  if (period === 'custom' && start_date === undefined)
    blame('start_date', 'is needed with the period custom');
  if (start_date !== undefined && end_date !== undefined && end_date < start_date) {
    blame('end_date', 'must not be before start_date');
  }
}

export const usageRangeInput = rangeShape.superRefine(checkRange);
export type UsageRangeInput = z.input<typeof usageRangeInput>;

const usageOverviewShape = rangeShape.extend({
  /** The most endpoints and sites listed, those with most bytes first; all by default. */
  resources_max: wholeNumber(0).optional(),
});
export const usageOverviewInput = usageOverviewShape.superRefine(checkRange);

/** `hour` goes back 90 days and covers at most seven days at once. */
const usageStatsShape = rangeShape.extend({ granularity: z.enum(GRANULARITIES).default('day') });
export const usageStatsInput = usageStatsShape.superRefine(checkRange);

/** Rows with their sum; `start_date` and `end_date` are inclusive. */
export const usageStatsSchema = z.object({
  usage: rowsOf(usageRowSchema).describe(
    'A row for each endpoint, or site at its platform names, and day or hour in which anything was requested.',
  ),
  summary: usageTotalsSchema.describe('The sum of all rows.'),
  start_date: startDate,
  end_date: endDate,
});
export type UsageStats = z.infer<typeof usageStatsSchema>;

/** What one endpoint, or a site's platform names, served in the whole range. */
const usageResourceSchema = usageTotalsSchema.extend({
  cdn_endpoint_id: endpointId,
  site_id: idSchema
    .nullable()
    .describe(
      'The site that was served. Null for redirects and for endpoints that led to several sites in the range.',
    ),
  name: z.string().describe('A hostname, or a site’s name.'),
  is_deleted: z.boolean().describe('True for what no longer exists, but served something in the range.'),
});
export type UsageResource = z.infer<typeof usageResourceSchema>;

/** Everything that the charts of a range show. */
export const usageOverviewSchema = z.object({
  start_date: startDate,
  end_date: endDate,
  summary: usageTotalsSchema.describe('The sums of the range.'),
  previous: usageTotalsSchema.describe(
    'The same part of the month, week or days before, up to the same hour: the base of the growth.',
  ),
  granularity: z
    .enum(GRANULARITIES)
    .describe('Whether a point is a day or an hour; hours for two days or less.'),
  points: z
    .array(usageTotalsSchema.extend({ date: dateSchema }))
    .describe('The sums of each day or hour, oldest first, without gaps, up to now.'),
  resources: z
    .array(usageResourceSchema)
    .describe('Each endpoint, and each site at its platform names, those with most bytes first.'),
  resource_count: count.describe('How many there are, listed or not; 0 if they were left out.'),
  active_sites: count.describe(
    'Sites that existed at any instant of the range, of those that were requested and may be seen.',
  ),
});
export type UsageOverview = z.infer<typeof usageOverviewSchema>;
export type UsagePoint = UsageOverview['points'][number];

const usagePathsShape = rangeShape.extend({
  limit: wholeNumber(1, 100).prefault(20),
});
export const usagePathsInput = usagePathsShape.superRefine(checkRange);

/** Files by how much they were requested. */
export const usagePathsSchema = z.object({
  start_date: startDate,
  end_date: endDate,
  paths: z
    .array(
      z.object({
        path: z.string().describe('With a leading slash.'),
        total_requests: count.describe('Requests for this file, at all names of the site.'),
        total_bytes_sent: count.describe('Bytes on the wire for this file.'),
      }),
    )
    .describe('Addresses of deployed files, those with most bytes first.'),
});
export type UsagePaths = z.infer<typeof usagePathsSchema>;

/** Which days, and optionally of one bucket only. */
const storageUsageShape = rangeShape.pick({ period: true, start_date: true, end_date: true }).extend({
  bucket_id: idSchema.optional(),
  /** The most buckets listed, those with most byte-hours first; all by default. */
  buckets_max: wholeNumber(0).optional(),
});
export const storageUsageInput = storageUsageShape.superRefine(checkRange);

/** What buckets stored and transferred. */
const storageTotalsSchema = z.object({
  byte_hours: counted.describe(
    'Bytes multiplied by the hours for which they were stored, rounded; up to now.',
  ),
  total_requests: counted.describe('Requests of S3 clients, without those that were refused or failed.'),
  total_bytes_received: counted.describe('Bytes of content that were uploaded, as sent.'),
  total_bytes_sent: counted.describe('Bytes of content that were downloaded.'),
  total_refused_requests: counted.describe(
    'Requests that were refused (403) or failed (5xx): not included in the others.',
  ),
});
export type StorageTotals = z.infer<typeof storageTotalsSchema>;

/** What buckets stored and transferred in a range: the total, by day, and by bucket. */
export const storageUsageSchema = z.object({
  start_date: startDate,
  end_date: endDate,
  elapsed_hours: z
    .number()
    .nonnegative()
    .describe('Of the range, up to now: byte-hours divided by them are the average stored bytes.'),
  summary: storageTotalsSchema.describe('The sums of the range.'),
  points: z
    .array(storageTotalsSchema.extend({ date: z.iso.date().describe('The day in UTC.') }))
    .describe('The sums of each day, oldest first, without gaps, up to today.'),
  buckets: z
    .array(
      storageTotalsSchema.extend({
        bucket_id: idSchema.describe('The bucket that these sums belong to.'),
        name: z.string().describe('As chosen when it was created.'),
        is_deleted: z
          .boolean()
          .describe('True for a bucket that no longer exists, but was used in the range.'),
      }),
    )
    .describe('The sums of each bucket, those with most byte-hours first.'),
});
export type StorageUsage = z.infer<typeof storageUsageSchema>;

/** The last instant that a date can express. */
const LAST_INSTANT = 8.64e15;

/** What a node counted since its last batch, as stored on its disk. A batch never spans two hours. */
export const usageBatchSchema = z.object({
  node_id: z.string().min(1).max(64),
  /** One run of the process. */
  boot_id: idSchema,
  /** Increases within the run. */
  sequence: z.number().int().positive(),
  /** Start of the hour (UTC), in epoch milliseconds. */
  hour: z.number().int().nonnegative().max(LAST_INSTANT).multipleOf(HOUR_MS),
  rows: z.array(
    z.object({
      organization_id: idSchema,
      endpoint_id: idSchema.nullable(),
      site_id: idSchema.nullable(),
      bytes_sent: count,
      requests: count,
      cache_hits: count,
      cache_misses: count,
      status_2xx: count,
      status_3xx: count,
      status_4xx: count,
      status_5xx: count,
      refused_requests: count,
      refused_bytes: count,
      /** Addresses of files with their requests and bytes. */
      paths: z.array(z.tuple([z.string(), count, count])),
    }),
  ),
});
export type UsageBatch = z.infer<typeof usageBatchSchema>;
export type UsageBatchRow = UsageBatch['rows'][number];

import { z } from 'zod';
import { HOUR_MS } from '#server/durations.ts';
import { rowsOf } from '../shared/row-rules.ts';
import { idSchema, wholeNumber } from '../shared/schema.ts';
import { GRANULARITIES, PERIODS, toUsageDay } from './rules.ts';

const count = z.number().int().nonnegative();

/**
 * A {@link count} in a response. Tens of thousands are validated at once, so only the type is checked: sums
 * of counts are counts.
 */
const counted = z.number().meta({ type: 'integer', minimum: 0 });

/** An id in such a response, with {@link idSchema}'s format: it comes from our own rows. */
const namedId = z.string().meta({ maxLength: 64, pattern: '^[\\w-]+$' });

/** What is counted about requests. */
export const usageTotalsSchema = z.object({
  /** On the wire: headers and bodies, without TLS. */
  total_bytes_sent: counted,
  total_requests: counted,
  /** Served from memory. */
  total_cache_hits: counted,
  /** Read from the store first. */
  total_cache_misses: counted,
  total_status_2xx: counted,
  total_status_3xx: counted,
  total_status_4xx: counted,
  total_status_5xx: counted,
  /** Refused while the organization is stopped: not included in the others, and not billed. */
  total_refused_requests: counted,
  total_refused_bytes_sent: counted,
});
export type UsageTotals = z.infer<typeof usageTotalsSchema>;

/** `2026-11-21`; for an hour, the instant of its start. */
const dateSchema = z.string().meta({
  anyOf: [
    { type: 'string', format: 'date' },
    { type: 'string', format: 'date-time' },
  ],
});

/** What an endpoint, or a site at its platform names, served on a day or in an hour. */
const usageRowSchema = usageTotalsSchema.extend({
  /** Null for a site's platform names. */
  cdn_endpoint_id: namedId.nullable(),
  /** The site that was served; null for redirects. */
  site_id: namedId.nullable(),
  date: dateSchema,
});
export type UsageRow = z.infer<typeof usageRowSchema>;

/** A UTC day, or an instant in it. */
const dayInput = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], 'must be a date such as 2026-11-21')
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

interface RangeWords {
  period?: (typeof PERIODS)[number] | undefined;
  start_date?: string | undefined;
  end_date?: string | undefined;
}

/** Parameters of a range that contradict each other, with the field to blame. */
function checkRange({ period, start_date, end_date }: RangeWords, refinement: z.core.$RefinementCtx): void {
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
  usage: rowsOf(usageRowSchema),
  summary: usageTotalsSchema,
  start_date: z.iso.date(),
  end_date: z.iso.date(),
});
export type UsageStats = z.infer<typeof usageStatsSchema>;

/** What one endpoint, or a site's platform names, served in the whole range. */
const usageResourceSchema = usageTotalsSchema.extend({
  cdn_endpoint_id: idSchema.nullable(),
  /** Null for redirects and for endpoints that led to several sites in the range. */
  site_id: idSchema.nullable(),
  /** A hostname, or a site's name. */
  name: z.string(),
  is_deleted: z.boolean(),
});
export type UsageResource = z.infer<typeof usageResourceSchema>;

/** Everything that the charts of a range show. */
export const usageOverviewSchema = z.object({
  start_date: z.iso.date(),
  end_date: z.iso.date(),
  summary: usageTotalsSchema,
  /** The same part of the month, week or days before, up to the same hour: the base of the growth. */
  previous: usageTotalsSchema,
  granularity: z.enum(GRANULARITIES),
  /** Without gaps, up to now. */
  points: z.array(usageTotalsSchema.extend({ date: dateSchema })),
  /** Those with most bytes first. */
  resources: z.array(usageResourceSchema),
  /** How many there are, listed or not; 0 if they were left out. */
  resource_count: count,
  /** Sites that existed at any instant of the range, of those that were requested and may be seen. */
  active_sites: count,
});
export type UsageOverview = z.infer<typeof usageOverviewSchema>;
export type UsagePoint = UsageOverview['points'][number];

const usagePathsShape = rangeShape.extend({
  limit: wholeNumber(1, 100).prefault(20),
});
export const usagePathsInput = usagePathsShape.superRefine(checkRange);

/** Files by how much they were requested. */
export const usagePathsSchema = z.object({
  start_date: z.iso.date(),
  end_date: z.iso.date(),
  paths: z.array(
    z.object({
      /** With a leading slash. */
      path: z.string(),
      total_requests: count,
      total_bytes_sent: count,
    }),
  ),
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
  /** Bytes multiplied by the hours for which they were stored, rounded; up to now. */
  byte_hours: counted,
  total_requests: counted,
  /** Of content, as sent. */
  total_bytes_received: counted,
  total_bytes_sent: counted,
  /** Refused or failed requests: not included in the others. */
  total_refused_requests: counted,
});
export type StorageTotals = z.infer<typeof storageTotalsSchema>;

/** What buckets stored and transferred in a range: the total, by day, and by bucket. */
export const storageUsageSchema = z.object({
  start_date: z.iso.date(),
  end_date: z.iso.date(),
  /** Of the range, up to now: byte-hours divided by them are the average stored bytes. */
  elapsed_hours: z.number().nonnegative(),
  summary: storageTotalsSchema,
  /** Without gaps, up to today. */
  points: z.array(storageTotalsSchema.extend({ date: z.iso.date() })),
  /** Those with most byte-hours first. */
  buckets: z.array(
    storageTotalsSchema.extend({ bucket_id: idSchema, name: z.string(), is_deleted: z.boolean() }),
  ),
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

import type { Executor } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { wholeByteHours } from '../../storage/usage/byte-hours.ts';
import { readBucketDays } from '../../storage/usage/read-bucket-days.ts';
import type { Quantities } from '../invoices/invoice-rules.ts';
import { heldStorage } from '../spending/held-storage.ts';
import { type BillingTerms, billedDays, isStorageBilled } from './billing-terms.ts';
import type { BillingMonth } from './month-rules.ts';
import { type Days, type SeriesSum, sumSeries, sumSeriesAgain } from './sum-series.ts';

/**
 * What one endpoint, or the platform names of a site, served. Counts are text: bytes can exceed what a number
 * holds exactly.
 */
export interface ServedUsage {
  endpoint_id: string | null;
  site_id: string | null;
  bytes: string;
  requests: string;
}

/** A site or an endpoint that existed in a month. */
export interface BilledResource {
  id: string;
  type: 'site' | 'endpoint';
  name: string;
}

/** What a bucket held. */
export interface StoredUsage {
  bucket_id: string;
  name: string;
  /** Bytes times the hours for which they were stored; a whole number as text. */
  byte_hours: string;
}

/** What an organization used in a period, in all the detail that is shown later. */
export interface MeasuredUsage {
  resources: BilledResource[];
  served: ServedUsage[];
  stored: StoredUsage[];
}

/** Returns the sum of each series in question over a range of days. */
type SumDays = (days: Days) => Promise<SeriesSum[]>;

const NOTHING: MeasuredUsage = { resources: [], served: [], stored: [] };

/** A month, the terms by which it is billed, and up to when what is stored now counts in it. */
interface MeasuredMonth {
  month: BillingMonth;
  terms: BillingTerms;
  /** The present, or a time ahead for what will have been stored by then; milliseconds since the epoch. */
  until: number;
}

/**
 * Returns what an organization has used of a month that is billed: what it served and, where storage has a price then, what its
 * buckets held. For the current month, which is measured every few seconds: sums of past days are kept.
 */
export async function measureMonth(
  executor: Executor,
  app: Pick<App, 'db' | 'clock'>,
  organizationId: string,
  measured: MeasuredMonth,
): Promise<MeasuredUsage> {
  const sum = (days: Days) => sumSeriesAgain(executor, app, organizationId, days);
  const usages = await measureMonths(executor, [organizationId], { ...measured, sum });
  return usages.get(organizationId) ?? NOTHING;
}

/** Returns the same of many organizations, with as many statements as of one where storage has no price. */
export async function measureMonths(
  executor: Executor,
  organizationIds: readonly string[],
  { month, terms, until, sum }: MeasuredMonth & { sum?: SumDays },
): Promise<Map<string, MeasuredUsage>> {
  const days = billedDays(terms, month);
  const usages = await measureUsages(executor, organizationIds, days, sum);
  if (!isStorageBilled(terms, month)) return usages;
  const holders = await executor
    .selectFrom('organizations')
    .select('id')
    .where('id', 'in', organizationIds)
    .where(heldStorage('organizations.id', days))
    .execute();
  for (const { id } of holders) {
    const stored = await measureStored(executor, id, days, until);
    usages.set(id, { ...(usages.get(id) ?? NOTHING), stored });
  }
  return usages;
}

/**
 * Returns what the buckets of an organization held in a range of whole days: the sums of the days that the usage CSV has.
 * @param until up to when what is stored now counts, in milliseconds since the epoch
 */
export async function measureStored(
  executor: Executor,
  organizationId: string,
  { start, end }: Days,
  until: number,
): Promise<StoredUsage[]> {
  const days = await readBucketDays(executor, {
    organizationId,
    range: { start, end },
    bucketIds: null,
    now: Math.min(until, end),
  });
  const stored = [...Map.groupBy(days, ({ bucket_id }) => bucket_id)].map(([bucket_id, own]) => ({
    bucket_id,
    name: own.at(-1)?.bucket_name ?? bucket_id,
    byte_hours: String(own.reduce((sum, day) => sum + BigInt(wholeByteHours(day.byte_hours)), 0n)),
  }));
  return stored
    .filter(({ byte_hours }) => byte_hours !== '0')
    .sort((one, other) => (one.bucket_id < other.bucket_id ? -1 : 1));
}

/**
 * Returns what organizations served in a range of whole days, by their ids: the same rows that the usage pages show. Requests that
 * were refused are in none of them.
 */
export async function measureUsages(
  executor: Executor,
  organizationIds: readonly string[],
  { start, end }: Days,
  sum: SumDays = (days) => sumSeries(executor, organizationIds, days),
): Promise<Map<string, MeasuredUsage>> {
  const usages = new Map<string, MeasuredUsage>(
    organizationIds.map((id) => [id, { resources: [], served: [], stored: [] }]),
  );
  // Without a day nothing is billed, not even a site that existed at that instant.
  if (organizationIds.length === 0 || start >= end) return usages;
  const findResources = executor
    .selectFrom('resource_lifetimes')
    .select(['organization_id', 'resource_id as id', 'resource_type as type', 'name'])
    .where('organization_id', 'in', organizationIds)
    .where('started_at', '<', end)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', start)]))
    .orderBy('resource_id');
  const findSeries = executor
    .selectFrom('usage_series')
    .where('organization_id', 'in', organizationIds)
    .select(['id', 'organization_id', 'endpoint_id', 'site_id'])
    .orderBy('id');
  // Side by side: outside a transaction PostgreSQL answers each over a connection of its own.
  const [resources, known, rows] = await Promise.all([
    findResources.execute(),
    findSeries.execute(),
    sum({ start, end }),
  ]);
  for (const { organization_id, ...resource } of resources) {
    usages.get(organization_id)?.resources.push(resource);
  }
  const sums = new Map(rows.map((row) => [row.series_id, row]));
  for (const { id, organization_id, endpoint_id, site_id } of known) {
    const sum = sums.get(id);
    if (!sum) continue;
    usages
      .get(organization_id)
      ?.served.push({ endpoint_id, site_id, bytes: sum.bytes, requests: sum.requests });
  }
  return usages;
}

/** Returns the quantities of an invoice's lines: counts, bytes, requests and byte hours. */
export function quantitiesOf({ resources, served, stored }: MeasuredUsage): Quantities {
  const count = (type: BilledResource['type']) =>
    BigInt(resources.filter((each) => each.type === type).length);
  const sum = (name: 'bytes' | 'requests') => served.reduce((all, each) => all + BigInt(each[name]), 0n);
  return {
    site: count('site'),
    endpoint: count('endpoint'),
    bandwidth: sum('bytes'),
    requests: sum('requests'),
    storage: stored.reduce((all, { byte_hours }) => all + BigInt(byte_hours), 0n),
  };
}

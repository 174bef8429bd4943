import { mergeBySeries, seriesKey } from '../services/usage/merge-rows.ts';
import { COUNTERS } from '../services/usage/rules.ts';
import type { UsageBatchRow } from '../services/usage/schema.ts';

/** Whose requests are counted together. */
export interface MeteredSeries {
  readonly organizationId: string;
  readonly endpointId: string | null;
  readonly siteId: string | null;
}

/** Files listed for a series in one batch; the most requested ones are kept. */
export const PATHS_PER_SERIES = 1_000;
/** Files listed in one batch. They are only statistics and must not make a batch large. */
export const PATHS_PER_BATCH = 20_000;

/** Returns the same key for meters of the same series. */
export function keyOfSeries({ organizationId, endpointId, siteId }: MeteredSeries): string {
  return seriesKey({ organization_id: organizationId, endpoint_id: endpointId, site_id: siteId });
}

/** Returns a row of a series in which nothing has been counted. */
export function emptyRow({ organizationId, endpointId, siteId }: MeteredSeries): UsageBatchRow {
  return {
    organization_id: organizationId,
    endpoint_id: endpointId,
    site_id: siteId,
    bytes_sent: 0,
    requests: 0,
    cache_hits: 0,
    cache_misses: 0,
    status_2xx: 0,
    status_3xx: 0,
    status_4xx: 0,
    status_5xx: 0,
    refused_requests: 0,
    refused_bytes: 0,
    paths: [],
  };
}

/** Returns false for a row without any counts. */
export function isSomething(row: UsageBatchRow): boolean {
  return row.paths.length > 0 || COUNTERS.some((name) => row[name] !== 0);
}

/** Whether all values of a row are numbers that can be added. */
export function isCountable(row: UsageBatchRow): boolean {
  return (
    COUNTERS.every((name) => isCount(row[name])) &&
    row.paths.every(([, requests, bytes]) => isCount(requests) && isCount(bytes))
  );
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Returns the sum of two lists of rows, one row per series; the number of files in it is limited. */
export function mergeRows(known: readonly UsageBatchRow[], more: readonly UsageBatchRow[]): UsageBatchRow[] {
  let room = PATHS_PER_BATCH;
  return [...mergeBySeries([...known, ...more]).values()].map((row) => {
    const most = Math.min(PATHS_PER_SERIES, room);
    const paths =
      row.paths.length > most ? row.paths.toSorted((a, b) => b[1] - a[1]).slice(0, most) : row.paths;
    room -= paths.length;
    return { ...row, paths };
  });
}

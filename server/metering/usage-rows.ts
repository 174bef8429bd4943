import type { UsageBatchRow } from '../services/usage/schema.ts';

/** Whose requests are counted together. */
export interface MeteredSeries {
  readonly organizationId: string;
  readonly endpointId: string | null;
  readonly siteId: string | null;
}

/** Files listed for a series in one batch; those asked for most are kept. */
export const PATHS_PER_SERIES = 1_000;
/** Files listed in one batch. They are for looking at, and must not make a batch large. */
export const PATHS_PER_BATCH = 20_000;

type PathEntry = UsageBatchRow['paths'][number];

/** Returns the same text for rows of the same series. */
export function seriesKey({ organizationId, endpointId, siteId }: MeteredSeries): string {
  return `${organizationId}/${endpointId ?? ''}/${siteId ?? ''}`;
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

/** False for a row that says nothing. */
export function isSomething(row: UsageBatchRow): boolean {
  return row.requests + row.refused_requests + row.bytes_sent + row.refused_bytes > 0 || row.paths.length > 0;
}

/** Returns the sum of two lists of rows, a row for each series. */
export function mergeRows(known: readonly UsageBatchRow[], more: readonly UsageBatchRow[]): UsageBatchRow[] {
  const keyOf = (row: UsageBatchRow) =>
    seriesKey({ organizationId: row.organization_id, endpointId: row.endpoint_id, siteId: row.site_id });
  const rows = new Map(known.map((row) => [keyOf(row), row]));
  let room = PATHS_PER_BATCH - known.reduce((sum, row) => sum + row.paths.length, 0);
  for (const row of more) {
    const key = keyOf(row);
    const before = rows.get(key);
    const paths = mergePaths(before?.paths ?? [], row.paths);
    const growth = paths.length - (before?.paths.length ?? 0);
    const isRoom = growth <= room;
    if (isRoom) room -= growth;
    rows.set(key, {
      ...(before === undefined ? row : sumOf(before, row)),
      paths: isRoom ? paths : (before?.paths ?? []),
    });
  }
  return [...rows.values()];
}

/** Returns two lists of files as one, at most as long as a series may have. */
export function mergePaths(known: readonly PathEntry[], more: readonly PathEntry[]): PathEntry[] {
  if (known.length === 0) return more.slice(0, PATHS_PER_SERIES);
  const merged = new Map(known.map((entry) => [entry[0], entry]));
  for (const [path, requests, bytes] of more) {
    const before = merged.get(path);
    merged.set(path, [path, requests + (before?.[1] ?? 0), bytes + (before?.[2] ?? 0)]);
  }
  const paths = [...merged.values()];
  if (paths.length <= PATHS_PER_SERIES) return paths;
  return paths.sort((a, b) => b[1] - a[1]).slice(0, PATHS_PER_SERIES);
}

function sumOf(a: UsageBatchRow, b: UsageBatchRow): UsageBatchRow {
  return {
    ...a,
    bytes_sent: a.bytes_sent + b.bytes_sent,
    requests: a.requests + b.requests,
    cache_hits: a.cache_hits + b.cache_hits,
    cache_misses: a.cache_misses + b.cache_misses,
    status_2xx: a.status_2xx + b.status_2xx,
    status_3xx: a.status_3xx + b.status_3xx,
    status_4xx: a.status_4xx + b.status_4xx,
    status_5xx: a.status_5xx + b.status_5xx,
    refused_requests: a.refused_requests + b.refused_requests,
    refused_bytes: a.refused_bytes + b.refused_bytes,
  };
}

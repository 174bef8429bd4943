import { PATH_BYTES_MAX } from '../shared/path-rules.ts';
import { COUNTERS } from './rules.ts';
import type { UsageBatchRow } from './schema.ts';

/** Returns the same text for rows of the same series: whose requests are counted together. */
export function seriesKey({
  organization_id,
  endpoint_id,
  site_id,
}: Pick<UsageBatchRow, 'organization_id' | 'endpoint_id' | 'site_id'>): string {
  return `${organization_id}/${endpoint_id ?? ''}/${site_id ?? ''}`;
}

/** Returns one row for each series, with one entry for each file, by the keys of the series. */
export function mergeBySeries(rows: readonly UsageBatchRow[]): Map<string, UsageBatchRow> {
  const merged = new Map<string, UsageBatchRow>();
  for (const row of rows) {
    const key = seriesKey(row);
    const known = merged.get(key);
    const paths = mergePaths(known === undefined ? row.paths : [...known.paths, ...row.paths]);
    merged.set(key, known === undefined ? { ...row, paths } : { ...addCounters(known, row), paths });
  }
  return merged;
}

function addCounters(a: UsageBatchRow, b: UsageBatchRow): UsageBatchRow {
  const sum = { ...a };
  for (const name of COUNTERS) sum[name] += b[name];
  return sum;
}

/** Drops what a database could not store: files are for display, and never block the counts. */
function mergePaths(paths: UsageBatchRow['paths']): UsageBatchRow['paths'] {
  const merged = new Map<string, UsageBatchRow['paths'][number]>();
  for (const [path, requests, bytes] of paths) {
    if (path.length > PATH_BYTES_MAX || path.includes('\0') || !path.isWellFormed()) continue;
    const known = merged.get(path);
    merged.set(path, [path, requests + (known?.[1] ?? 0), bytes + (known?.[2] ?? 0)]);
  }
  return [...merged.values()];
}

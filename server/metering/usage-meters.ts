import type { EdgeAnswerRecord, EdgeMeter } from '../edge/ports.ts';
import type { UsageBatchRow } from '../services/usage/schema.ts';

/** Whose requests are counted together. */
export interface MeteredSeries {
  readonly organizationId: string;
  readonly endpointId: string | null;
  readonly siteId: string | null;
}

/** Returns who counts for a series; null where nobody does. */
export type MeterOf = (series: MeteredSeries) => EdgeMeter | null;

/** Files listed by a meter between two takes; what is asked for beyond them is counted without its address. */
const PATHS_MAX = 1_000;

/** The counters of this process. Any number of meters may count for one series: what is taken is merged. */
export class UsageMeters {
  private counting: UsageMeter[] = [];

  /** Returns a meter; it costs nothing while it counts nothing. */
  meterOf(series: MeteredSeries): EdgeMeter {
    return new UsageMeter(series, (meter) => this.counting.push(meter));
  }

  /** Returns what was counted since the last take, a row for each series, and begins anew. */
  take(): UsageBatchRow[] {
    const taken = this.counting;
    this.counting = [];
    const rows = new Map<string, UsageBatchRow>();
    for (const meter of taken) {
      const row = meter.take();
      const key = seriesKey(row);
      const known = rows.get(key);
      rows.set(key, known === undefined ? row : mergeRows(known, row));
    }
    return [...rows.values()].filter(isSomething);
  }
}

/** False for what a correction left of a row. */
function isSomething(row: UsageBatchRow): boolean {
  return row.requests + row.refused_requests + row.bytes_sent + row.refused_bytes > 0;
}

/** Returns the same text for rows of the same series. */
export function seriesKey({ organization_id, endpoint_id, site_id }: UsageBatchRow): string {
  return `${organization_id}/${endpoint_id ?? ''}/${site_id ?? ''}`;
}

/** Returns the sum of two rows of one series. */
export function mergeRows(a: UsageBatchRow, b: UsageBatchRow): UsageBatchRow {
  const paths = new Map(a.paths.map((entry) => [entry[0], entry]));
  for (const [path, requests, bytes] of b.paths) {
    const known = paths.get(path);
    paths.set(path, [path, requests + (known?.[1] ?? 0), bytes + (known?.[2] ?? 0)]);
  }
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
    paths: [...paths.values()].slice(0, PATHS_MAX),
  };
}

interface PathCount {
  requests: number;
  bytes: number;
}

class UsageMeter implements EdgeMeter {
  private readonly series: MeteredSeries;
  private readonly onFirst: (meter: UsageMeter) => void;
  private isCounting = false;
  private bytes = 0;
  private requests = 0;
  private hits = 0;
  /** Requests by the first digit of their status. */
  private readonly classes = [0, 0, 0, 0, 0, 0];
  private refusedRequests = 0;
  private refusedBytes = 0;
  private paths = new Map<string, PathCount>();

  constructor(series: MeteredSeries, onFirst: (meter: UsageMeter) => void) {
    this.series = series;
    this.onFirst = onFirst;
  }

  count(answer: EdgeAnswerRecord, bytes: number): void {
    if (!this.isCounting) this.begin();
    if (answer.isRefused) {
      this.refusedRequests += 1;
      this.refusedBytes += bytes;
      return;
    }
    this.requests += 1;
    this.bytes += bytes;
    if (answer.isCacheHit) this.hits += 1;
    const statusClass = Math.floor(answer.status / 100);
    this.classes[statusClass] = (this.classes[statusClass] ?? 0) + 1;
    if (answer.path !== null) this.countPath(answer.path, 1, bytes);
  }

  add(answer: EdgeAnswerRecord, bytes: number): void {
    if (bytes === 0) return;
    if (!this.isCounting) this.begin();
    if (answer.isRefused) this.refusedBytes += bytes;
    else {
      this.bytes += bytes;
      if (answer.path !== null) this.countPath(answer.path, 0, bytes);
    }
  }

  /** Answers what was counted and begins anew. A correction downwards that exceeds what there is waits for more. */
  take(): UsageBatchRow {
    const { organizationId, endpointId, siteId } = this.series;
    const bytes = Math.max(0, this.bytes);
    const refused = Math.max(0, this.refusedBytes);
    const row: UsageBatchRow = {
      organization_id: organizationId,
      endpoint_id: endpointId,
      site_id: siteId,
      bytes_sent: bytes,
      requests: this.requests,
      cache_hits: this.hits,
      cache_misses: this.requests - this.hits,
      status_2xx: this.classes[2] ?? 0,
      status_3xx: this.classes[3] ?? 0,
      status_4xx: this.classes[4] ?? 0,
      status_5xx: this.classes[5] ?? 0,
      refused_requests: this.refusedRequests,
      refused_bytes: refused,
      paths: [...this.paths].map(([path, { requests, bytes: sent }]) => [path, requests, Math.max(0, sent)]),
    };
    this.isCounting = false;
    this.bytes -= bytes;
    this.refusedBytes -= refused;
    this.requests = 0;
    this.hits = 0;
    this.classes.fill(0);
    this.refusedRequests = 0;
    this.paths = new Map();
    if (this.bytes < 0 || this.refusedBytes < 0) this.begin();
    return row;
  }

  private begin(): void {
    this.isCounting = true;
    this.onFirst(this);
  }

  private countPath(path: string, requests: number, bytes: number): void {
    const known = this.paths.get(path);
    if (known !== undefined) {
      known.requests += requests;
      known.bytes += bytes;
    } else if (this.paths.size < PATHS_MAX) this.paths.set(path, { requests, bytes });
  }
}

import type { EdgeMeter, EdgeResponseRecord } from '../edge/ports.ts';
import { PATH_BYTES_MAX } from '../services/shared/path-rules.ts';
import type { UsageBatchRow } from '../services/usage/schema.ts';
import {
  emptyRow,
  isSomething,
  keyOfSeries,
  type MeteredSeries,
  PATHS_PER_BATCH,
  PATHS_PER_SERIES,
} from './usage-rows.ts';

/** Returns the meter of a series; null when it is not metered. */
export type MeterOf = (series: MeteredSeries) => EdgeMeter | null;

/** Series whose corrections are remembered until something more is counted for them. */
const DEBTS_MAX = 10_000;

/** Bytes that were counted and collected, but did not leave after all. Negative or zero. */
interface Debt {
  bytes: number;
  refusedBytes: number;
}

/** The counters of this process. Any number of meters may count for one series: their counts are merged. */
export class UsageMeters {
  private counting: UsageMeter[] = [];
  private listing: UsageMeter[] = [];
  private readonly debts = new Map<string, Debt>();
  private readonly book: MeterBook = {
    begin: (meter) => this.counting.push(meter),
    beginPaths: (meter) => this.listing.push(meter),
    pathsLeft: PATHS_PER_BATCH,
  };

  /** Returns a meter; it costs nothing while it counts nothing. */
  meterOf(series: MeteredSeries): EdgeMeter {
    return new UsageMeter(series, this.book);
  }

  /**
   * Returns the usage since the last collection, one row per series, and starts again from zero. Files are
   * not taken unless requested.
   */
  take({ withPaths }: { withPaths: boolean }): UsageBatchRow[] {
    const rows = new Map<string, UsageBatchRow>();
    const rowOf = (meter: UsageMeter) => {
      const known = rows.get(meter.key);
      if (known !== undefined) return known;
      const row = emptyRow(meter.series);
      rows.set(meter.key, row);
      return row;
    };
    const { counting } = this;
    this.counting = [];
    for (const meter of counting) meter.takeInto(rowOf(meter));
    if (withPaths) {
      const { listing } = this;
      this.listing = [];
      this.book.pathsLeft = PATHS_PER_BATCH;
      for (const meter of listing) rowOf(meter).paths.push(...meter.takePaths());
    }
    for (const [key, row] of rows) this.settle(key, row);
    return [...rows.values()].filter(isSomething);
  }

  /** Counts are never negative: a correction that exceeds the count waits for more. */
  private settle(key: string, row: UsageBatchRow): void {
    const debt = this.debts.get(key);
    const bytes = row.bytes_sent + (debt?.bytes ?? 0);
    const refusedBytes = row.refused_bytes + (debt?.refusedBytes ?? 0);
    row.bytes_sent = Math.max(0, bytes);
    row.refused_bytes = Math.max(0, refusedBytes);
    if (bytes < 0 || refusedBytes < 0) {
      this.debts.set(key, { bytes: Math.min(0, bytes), refusedBytes: Math.min(0, refusedBytes) });
      if (this.debts.size > DEBTS_MAX) {
        for (const oldest of this.debts.keys()) {
          this.debts.delete(oldest);
          break;
        }
      }
    } else if (debt !== undefined) this.debts.delete(key);
  }
}

/** Meters register here when they begin to count, so that idle ones cost nothing. */
interface MeterBook {
  begin(meter: UsageMeter): void;
  beginPaths(meter: UsageMeter): void;
  /** How many more files may be listed before they are collected. */
  pathsLeft: number;
}

interface PathCount {
  requests: number;
  bytes: number;
}

class UsageMeter implements EdgeMeter {
  readonly series: MeteredSeries;
  readonly key: string;
  private readonly book: MeterBook;
  private isCounting = false;
  private bytes = 0;
  private requests = 0;
  private hits = 0;
  /** Requests by the first digit of their status. */
  private readonly classes = [0, 0, 0, 0, 0, 0];
  private refusedRequests = 0;
  private refusedBytes = 0;
  private paths = new Map<string, PathCount>();

  constructor(series: MeteredSeries, book: MeterBook) {
    this.series = series;
    this.key = keyOfSeries(series);
    this.book = book;
  }

  count(response: EdgeResponseRecord, bytes: number): void {
    if (!this.isCounting) this.begin();
    if (response.isRefused) {
      this.refusedRequests += 1;
      this.refusedBytes += bytes;
      return;
    }
    this.requests += 1;
    this.bytes += bytes;
    if (response.isCacheHit) this.hits += 1;
    const statusClass = Math.floor(response.status / 100);
    this.classes[statusClass] = (this.classes[statusClass] ?? 0) + 1;
    if (response.path !== null) this.countPath(response.path, 1, bytes);
  }

  add(response: EdgeResponseRecord, bytes: number): void {
    if (bytes === 0) return;
    if (!this.isCounting) this.begin();
    if (response.isRefused) this.refusedBytes += bytes;
    else {
      this.bytes += bytes;
      if (response.path !== null) this.countPath(response.path, 0, bytes);
    }
  }

  /** Adds the counts to a row, whose bytes may become negative, and starts again from zero. */
  takeInto(row: UsageBatchRow): void {
    row.bytes_sent += this.bytes;
    row.requests += this.requests;
    row.cache_hits += this.hits;
    row.cache_misses += this.requests - this.hits;
    row.status_2xx += this.classes[2] ?? 0;
    row.status_3xx += this.classes[3] ?? 0;
    row.status_4xx += this.classes[4] ?? 0;
    row.status_5xx += this.classes[5] ?? 0;
    row.refused_requests += this.refusedRequests;
    row.refused_bytes += this.refusedBytes;
    this.isCounting = false;
    this.bytes = 0;
    this.requests = 0;
    this.hits = 0;
    this.classes.fill(0);
    this.refusedRequests = 0;
    this.refusedBytes = 0;
  }

  /** Returns the requested files, and starts again from zero. */
  takePaths(): UsageBatchRow['paths'] {
    const { paths } = this;
    this.paths = new Map();
    return [...paths].map(([path, { requests, bytes }]) => [path, requests, Math.max(0, bytes)]);
  }

  private begin(): void {
    this.isCounting = true;
    this.book.begin(this);
  }

  private countPath(path: string, requests: number, bytes: number): void {
    const known = this.paths.get(path);
    if (known !== undefined) {
      known.requests += requests;
      known.bytes += bytes;
      return;
    }
    if (this.paths.size >= PATHS_PER_SERIES || this.book.pathsLeft === 0) return;
    const encoded = Buffer.from(path);
    if (encoded.byteLength > PATH_BYTES_MAX) return;
    if (this.paths.size === 0) this.book.beginPaths(this);
    this.book.pathsLeft -= 1;
    // A copy: a substring keeps the whole string in memory, which may be a request's entire head.
    this.paths.set(encoded.toString(), { requests, bytes });
  }
}

import { HOUR_MS } from '../durations.ts';
import { hourOf } from '../services/usage/rules.ts';
import type { UsageBatchRow } from '../services/usage/schema.ts';
import type { UsageMeters } from './usage-meters.ts';

/** What was counted in a period that lies within one hour. */
export interface CollectedUsage {
  /** Epoch milliseconds of the hour's beginning (UTC). */
  hour: number;
  rows: UsageBatchRow[];
}

/** Collections between two that include the files: about a minute. */
const TAKES_PER_PATHS = 30;

/**
 * Collects what was counted, under the hour in which counting began. The clock only supplies labels: when it
 * jumps forwards or backwards, nothing is counted twice or lost.
 */
export class UsageCollector {
  private readonly meters: UsageMeters;
  private readonly now: () => number;
  private hour: number;
  private takesSincePaths = 0;

  constructor(meters: UsageMeters, now: () => number) {
    this.meters = meters;
    this.now = now;
    this.hour = hourOf(now());
  }

  /**
   * Returns the usage since the last collection. Files are included once a minute, at the end of an hour, and
   * on request.
   */
  take({ withPaths = false } = {}): CollectedUsage {
    const { hour } = this;
    this.hour = hourOf(this.now());
    this.takesSincePaths += 1;
    const isTime = withPaths || this.hour !== hour || this.takesSincePaths >= TAKES_PER_PATHS;
    if (isTime) this.takesSincePaths = 0;
    return { hour, rows: this.meters.take({ withPaths: isTime }) };
  }

  /** Milliseconds until the next collection, at most `everyMs`: the end of an hour also ends a collection. */
  delay(everyMs: number): number {
    const now = this.now();
    return Math.max(1, Math.min(everyMs, hourOf(now) + HOUR_MS - now));
  }
}

import { HOUR_MS, hourOf } from '../services/usage/rules.ts';
import type { UsageBatchRow } from '../services/usage/schema.ts';
import type { UsageMeters } from './usage-meters.ts';

/** What was counted in one stretch of time, which lies in one hour. */
export interface TakenUsage {
  /** Epoch milliseconds of the hour's beginning (UTC). */
  hour: number;
  rows: UsageBatchRow[];
}

/** Takes between two that bring the files along: about a minute. */
const TAKES_PER_PATHS = 30;

/**
 * Takes what was counted, under the hour in which its counting began. The clock only writes labels: one that jumps
 * forwards or backwards never has anything counted twice or not at all.
 */
export class UsageTaker {
  private readonly meters: UsageMeters;
  private readonly now: () => number;
  private hour: number;
  private takesSincePaths = 0;

  constructor(meters: UsageMeters, now: () => number) {
    this.meters = meters;
    this.now = now;
    this.hour = hourOf(now());
  }

  /** Returns what was counted since the last take. Files come along once a minute, at the end of an hour, and when asked for. */
  take({ withPaths = false } = {}): TakenUsage {
    const { hour } = this;
    this.hour = hourOf(this.now());
    this.takesSincePaths += 1;
    const isTime = withPaths || this.hour !== hour || this.takesSincePaths >= TAKES_PER_PATHS;
    if (isTime) this.takesSincePaths = 0;
    return { hour, rows: this.meters.take({ withPaths: isTime }) };
  }

  /** Milliseconds until the next take, at most `everyMs`: the end of an hour ends a take too. */
  delay(everyMs: number): number {
    const now = this.now();
    return Math.max(1, Math.min(everyMs, hourOf(now) + HOUR_MS - now));
  }
}

import type { UsageCounterColumns } from './usage-counters.ts';

/** What a series served on a day (UTC): the sum of its hours, kept forever. */
export interface UsageDaysTable extends UsageCounterColumns {
  series_id: number;
  /** Start of the day, in epoch milliseconds. */
  day: number;
}

import type { UsageCounterColumns } from './usage-counters.ts';

/** What a series served in an hour (UTC); kept for 90 days. */
export interface UsageHoursTable extends UsageCounterColumns {
  series_id: number;
  /** Start of the hour, in epoch milliseconds. */
  hour: number;
}

import type { UsageCounterColumns } from './usage-counters.ts';

/** What a series served on a day (UTC): the sum of its hours, kept for ever. */
export interface UsageDaysTable extends UsageCounterColumns {
  series_id: number;
  /** Epoch milliseconds of its beginning. */
  day: number;
}

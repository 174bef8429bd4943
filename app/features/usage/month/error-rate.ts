import type { UsageTotals } from '#server/services/usage/schema.ts';

/** Returns the percentage of requests answered with an error, or null without any request. */
export function errorRate(totals: UsageTotals): number | null {
  const errors = totals.total_status_4xx + totals.total_status_5xx;
  return totals.total_requests === 0 ? null : (errors / totals.total_requests) * 100;
}

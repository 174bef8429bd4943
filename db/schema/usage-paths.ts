/** Which files of a series were asked for on a day (UTC). For looking at, never for billing. */
export interface UsagePathsTable {
  series_id: number;
  /** Epoch milliseconds of its beginning. */
  day: number;
  /** As addressed, with a slash in front; only addresses of deployed files. */
  path: string;
  requests: number;
  bytes_sent: number;
}

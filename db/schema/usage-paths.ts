/** Which files of a series were requested on a day (UTC). For display, never for billing. */
export interface UsagePathsTable {
  series_id: number;
  /** Start of the day, in epoch milliseconds. */
  day: number;
  /** As in the address, with a leading slash; only addresses of deployed files. */
  path: string;
  requests: number;
  bytes_sent: number;
}

/** One holder at a time across nodes: a job runs on the node that holds its lease. */
export interface LeasesTable {
  name: string;
  holder: string;
  expires_at: number;
}

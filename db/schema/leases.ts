/** One holder at a time across nodes: a job runs where its lease is. */
export interface LeasesTable {
  name: string;
  holder: string;
  expires_at: number;
}

/** How far the batches of a process have been applied: everything up to it has been counted. */
export interface UsageCursorsTable {
  node_id: string;
  /** One run of the process. */
  boot_id: string;
  sequence: number;
  updated_at: number;
}

/** An item that a job could not process: it waits, is shown to operators, and blocks nothing else. */
export interface StuckWorkTable {
  job: string;
  /** What it concerns, e.g. a hash or an id; empty for the job's run as a whole. */
  item: string;
  /** How often it failed in a row. */
  attempts: number;
  error: string;
  first_failed_at: number;
  failed_at: number;
  next_attempt_at: number;
}

/** Something that a job could not do: it waits, is shown to whoever runs the installation, and holds up nothing else. */
export interface StuckWorkTable {
  job: string;
  /** What it is about, e.g. a hash or an id; empty for the run of the job as a whole. */
  item: string;
  /** How often it failed in a row. */
  attempts: number;
  error: string;
  first_failed_at: number;
  failed_at: number;
  next_attempt_at: number;
}

/** A running part of the process; `stop` finishes what is in flight. */
export interface RunningRole {
  /** Where it can be reached, for the line printed at start. */
  address: string | null;
  stop(): Promise<void>;
}

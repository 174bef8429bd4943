/** A machine of this installation, with its last report about its processes. */
export interface MachinesTable {
  /** Its hostname with its data directory: the same after a restart. */
  id: string;
  /** The hostname. */
  name: string;
  /** The process that writes the row, so that one being replaced does not remove what the new one wrote. */
  run: string;
  /** JSON: the processes with their state, as in the health of the installation. */
  processes: string;
  seen_at: number;
}

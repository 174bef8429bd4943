import type { Generated } from 'kysely';

/** What every edge must forget, in commit order; polled by other nodes, pushed within the process. */
export interface EdgeChangesTable {
  sequence: Generated<number>;
  site_id: string | null;
  hostname: string | null;
  at: number;
}

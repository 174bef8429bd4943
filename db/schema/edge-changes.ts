import type { Generated } from 'kysely';

/** What every edge has to forget, in commit order; polled by other nodes, pushed in process. */
export interface EdgeChangesTable {
  sequence: Generated<number>;
  site_id: string | null;
  hostname: string | null;
  at: number;
}

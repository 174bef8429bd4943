import { sql } from 'kysely';
import { isPostgres, type Trx } from '#db/client.ts';
import type { EdgeChange } from './edge-changes.ts';

/** The number of the lock that puts edge changes into commit order on PostgreSQL. */
const EDGE_CHANGES_LOCK = 7_261_001;

/** The channel on which PostgreSQL tells edges that there are changes to read. */
export const EDGE_CHANGES_CHANNEL = 'edge_changes';

/**
 * Writes changes for all edges in the caller's transaction. It comes last there: on PostgreSQL it takes a
 * lock until the commit, so that a reader of "sequence > last" misses nothing.
 */
export async function recordEdgeChanges(
  trx: Trx,
  changes: readonly EdgeChange[],
  now: number,
): Promise<void> {
  if (changes.length === 0) return;
  if (isPostgres(trx)) {
    await sql`select pg_advisory_xact_lock(${EDGE_CHANGES_LOCK}), pg_notify(${EDGE_CHANGES_CHANNEL}, '')`.execute(
      trx,
    );
  }
  for (const change of changes) {
    await trx
      .insertInto('edge_changes')
      .values({ ...change, at: now })
      .execute();
  }
}

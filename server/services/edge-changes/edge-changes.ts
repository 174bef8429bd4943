import { EventEmitter } from 'node:events';
import { sql } from 'kysely';
import { isPostgres, type Trx } from '#db/client.ts';
import type { AfterCommit } from '#db/transaction.ts';

/** Something an edge may have cached that has changed. */
export interface EdgeChange {
  site_id: string | null;
  hostname: string | null;
}

/**
 * Announces committed changes to edges of this machine; other machines read the same changes from the table
 * `edge_changes`.
 */
export class EdgeChanges {
  private readonly emitter = new EventEmitter<{ change: [EdgeChange] }>();

  /** Calls `listener` for every change committed by this process. Returns a function that stops it. */
  subscribe(listener: (change: EdgeChange) => void): () => void {
    this.emitter.on('change', listener);
    return () => this.emitter.off('change', listener);
  }

  announce(change: EdgeChange): void {
    this.emitter.emit('change', change);
  }
}

/** The number of the lock that puts edge changes into commit order on PostgreSQL. */
const EDGE_CHANGES_LOCK = 7_261_001;

/**
 * Writes a change for all edges in the caller's transaction and announces it in this process after the
 * commit. Call it last in the transaction: on PostgreSQL it takes a lock until the commit, so that a reader
 * of "sequence > last" misses nothing.
 */
export async function recordEdgeChange(
  trx: Trx,
  afterCommit: AfterCommit,
  edgeChanges: EdgeChanges,
  change: EdgeChange,
  now: number,
): Promise<void> {
  if (isPostgres(trx)) await sql`select pg_advisory_xact_lock(${EDGE_CHANGES_LOCK})`.execute(trx);
  await trx
    .insertInto('edge_changes')
    .values({ ...change, at: now })
    .execute();
  afterCommit(() => edgeChanges.announce(change));
}

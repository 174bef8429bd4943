import type { Trx } from '#db/client.ts';
import { type CommitOptions, inTransaction } from '#db/transaction.ts';
import type { RequestContext } from '#server/context.ts';
import { type AuditEntry, recordAudit } from '../audit/record-audit.ts';
import type { EdgeChange } from '../edge-changes/edge-changes.ts';
import { recordEdgeChanges } from '../edge-changes/record-edge-changes.ts';
import { markBegun } from '../idempotency/mark-begun.ts';

/** A change: its transaction, its time, and what is committed with it. */
export interface UnitOfWork {
  trx: Trx;
  /** When the transaction began: the time of everything it writes. */
  now: number;
  /** Writes an audit entry. @throws too_many_requests */
  audit(entry: AuditEntry): Promise<void>;
  /** Makes every edge forget something once the change is committed. */
  tellEdges(change: EdgeChange): void;
  /** The same change, with audit entries by another actor. */
  by(context: RequestContext): UnitOfWork;
}

/**
 * Runs `work` in one transaction and returns its result after the commit. The change, its audit entries and
 * the invalidations for edges are committed together; when `work` throws, none of them is.
 */
export async function inUnitOfWork<T>(
  context: RequestContext,
  work: (unit: UnitOfWork) => Promise<T>,
  options?: CommitOptions,
): Promise<T> {
  const { app } = context;
  const changes: EdgeChange[] = [];
  const run = async (trx: Trx) => {
    const now = app.clock.now();
    const unitOf = (actor: RequestContext): UnitOfWork => ({
      trx,
      now,
      audit: (entry) => recordAudit(trx, actor, entry, now),
      tellEdges: (change) => changes.push(change),
      by: unitOf,
    });
    const result = await work(unitOf(context));
    if (context.claim) await markBegun(trx, context.claim);
    // Last, since it locks the table until the commit.
    await recordEdgeChanges(trx, changes, now);
    return result;
  };
  const result = await inTransaction(app.db, run, options);
  for (const change of changes) app.edgeChanges.announce(change);
  return result;
}

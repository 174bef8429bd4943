import { isPostgres, type Trx } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts';
import type { App } from '#server/context.ts';
import { openStuckWork } from '../../stuck-work/open-stuck-work.ts';
import { FAILURES_IN_A_ROW_MAX } from '../../stuck-work/work-through.ts';
import { REMOVAL_CLAIM_MS } from '../rules.ts';

/** How many blobs one claim covers, and how many of them are removed concurrently. */
const CLAIMED_AT_ONCE = 200;
const REMOVALS_AT_ONCE = 8;
/**
 * No removal begins later than this after its claim, so that each has ended long before the claim expires.
 */
const BEGIN_WITHIN_MS = REMOVAL_CLAIM_MS / 5;

interface Claim {
  /** The claimed hashes, in order. */
  hashes: string[];
  /** The mark on their rows, which only this claim has set. */
  startedAt: number;
}

/**
 * Removes the bytes and the rows of condemned content. The store is called outside transactions, so a store
 * that does not respond holds no lock:
 * 1. Claim: one transaction marks condemned rows. From then on they cannot be pardoned (register-blobs.ts).
 * 2. Remove the bytes.
 * 3. Delete the rows whose bytes are gone, if the claim is still valid.
 * Content that cannot be removed waits, its row condemned, and does not block the rest; when nothing works
 * any more, the rest is left for the next run. A claim is never taken back after a failure, because an object
 * store may still carry out what it did not acknowledge. It expires, and so does that of a process that
 * ended.
 */
export async function removeCondemnedBlobs(app: App, job: string, stopping?: AbortSignal): Promise<number> {
  const stuck = await openStuckWork(app, job);
  let removed = 0;
  let after = '';
  while (!stopping?.aborted) {
    const claim = await claimCondemned(app, job, after);
    const last = claim.hashes.at(-1);
    if (last === undefined) break;
    after = last;
    const gone: string[] = [];
    const unbegun: string[] = [];
    const failures: unknown[] = [];
    await mapConcurrently(claim.hashes, REMOVALS_AT_ONCE, async (sha256) => {
      const isOutage = gone.length === 0 && failures.length >= FAILURES_IN_A_ROW_MAX;
      const isLate = app.clock.now() > claim.startedAt + BEGIN_WITHIN_MS;
      if (isOutage || isLate || stopping?.aborted) {
        unbegun.push(sha256);
        return;
      }
      try {
        await app.blobs.remove(sha256);
        gone.push(sha256);
      } catch (error) {
        failures.push(error);
        await stuck.fail(sha256, error);
      }
    });
    removed += await deleteRemoved(app, gone, claim.startedAt);
    for (const sha256 of gone) await stuck.succeed(sha256);
    await releaseClaim(app, unbegun, claim.startedAt);
    if (gone.length === 0 && failures.length >= FAILURES_IN_A_ROW_MAX) throw failures[0];
  }
  return removed;
}

async function claimCondemned(app: App, job: string, after: string): Promise<Claim> {
  const now = app.clock.now();
  return inTransaction(app.db, async (trx) => {
    const rows = await trx
      .selectFrom('blobs')
      .select('sha256')
      .where('condemned_at', 'is not', null)
      .where((eb) =>
        eb.or([eb('removal_started_at', 'is', null), eb('removal_started_at', '<', now - REMOVAL_CLAIM_MS)]),
      )
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('stuck_work')
              .select('stuck_work.item')
              .whereRef('stuck_work.item', '=', 'blobs.sha256')
              .where('stuck_work.job', '=', job)
              .where('stuck_work.next_attempt_at', '>', now),
          ),
        ),
      )
      .where('sha256', '>', after)
      .orderBy('sha256')
      .limit(CLAIMED_AT_ONCE)
      // A locked row is being pardoned, or claimed by another collector.
      .$if(isPostgres(trx), (query) => query.forUpdate().skipLocked())
      .execute();
    const hashes = rows.map((row) => row.sha256);
    if (hashes.length > 0) {
      await trx.updateTable('blobs').set({ removal_started_at: now }).where('sha256', 'in', hashes).execute();
    }
    return { hashes, startedAt: now };
  });
}

async function deleteRemoved(app: App, hashes: readonly string[], startedAt: number): Promise<number> {
  return inTransaction(app.db, async (trx) => {
    const held = await lockClaimed(trx, hashes, startedAt);
    if (held.length > 0) await trx.deleteFrom('blobs').where('sha256', 'in', held).execute();
    return held.length;
  });
}

async function releaseClaim(app: App, hashes: readonly string[], startedAt: number): Promise<void> {
  if (hashes.length === 0) return;
  await inTransaction(app.db, async (trx) => {
    const held = await lockClaimed(trx, hashes, startedAt);
    if (held.length === 0) return;
    await trx.updateTable('blobs').set({ removal_started_at: null }).where('sha256', 'in', held).execute();
  });
}

/** Returns which of these rows are still ours, locked in the order in which uploads lock them. */
async function lockClaimed(trx: Trx, hashes: readonly string[], startedAt: number): Promise<string[]> {
  if (hashes.length === 0) return [];
  const rows = await trx
    .selectFrom('blobs')
    .select('sha256')
    .where('sha256', 'in', hashes)
    .where('removal_started_at', '=', startedAt)
    .orderBy('sha256')
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .execute();
  return rows.map((row) => row.sha256);
}

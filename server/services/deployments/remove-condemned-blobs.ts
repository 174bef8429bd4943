import { isPostgres, type Trx } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { mapConcurrently } from '#server/map-concurrently.ts';
import { REMOVAL_CLAIM_MS } from './rules.ts';

/** How many blobs one claim covers, and how many of them are removed side by side. */
const CLAIMED_AT_ONCE = 200;
const REMOVALS_AT_ONCE = 8;
/** No removal begins later than this after its claim, so that each has ended long before the claim expires. */
const BEGIN_WITHIN_MS = REMOVAL_CLAIM_MS / 5;

interface Claim {
  /** The claimed hashes, in order. */
  hashes: string[];
  /** The mark on their rows, which nobody else has set. */
  startedAt: number;
}

/** What a round of removals did. */
interface RemovedBlobs {
  removed: number;
  /** Why bytes could not be removed, one for each blob. Their rows stay condemned, and the next round tries again. */
  failures: unknown[];
}

/**
 * Removes the bytes and the rows of condemned content. The store is asked outside of transactions, so a store that does not
 * answer holds no lock:
 *
 * 1. Claim: one transaction marks condemned rows. From then on nobody pardons them (register-blobs.ts).
 * 2. Remove the bytes.
 * 3. Delete the rows whose bytes are gone, if the claim still stands.
 *
 * A claim is never taken back after a failure, because an object store may still carry out what it did not acknowledge. It
 * expires, and so does that of a process that ended.
 */
export async function removeCondemnedBlobs(app: App): Promise<RemovedBlobs> {
  let removed = 0;
  const failures: unknown[] = [];
  let after = '';
  for (;;) {
    const claim = await claimCondemned(app, after);
    const last = claim.hashes.at(-1);
    if (last === undefined) return { removed, failures };
    after = last;
    const gone: string[] = [];
    const unbegun: string[] = [];
    await mapConcurrently(claim.hashes, REMOVALS_AT_ONCE, async (sha256) => {
      if (app.clock.now() > claim.startedAt + BEGIN_WITHIN_MS) {
        unbegun.push(sha256);
        return;
      }
      try {
        await app.blobs.remove(sha256);
        gone.push(sha256);
      } catch (error) {
        failures.push(error);
      }
    });
    removed += await deleteRemoved(app, gone, claim.startedAt);
    await releaseClaim(app, unbegun, claim.startedAt);
  }
}

async function claimCondemned(app: App, after: string): Promise<Claim> {
  const now = app.clock.now();
  return inTransaction(app.db, async (trx) => {
    const rows = await trx
      .selectFrom('blobs')
      .select('sha256')
      .where('condemned_at', 'is not', null)
      .where((eb) =>
        eb.or([eb('removal_started_at', 'is', null), eb('removal_started_at', '<', now - REMOVAL_CLAIM_MS)]),
      )
      .where('sha256', '>', after)
      .orderBy('sha256')
      .limit(CLAIMED_AT_ONCE)
      // A row that somebody holds is being pardoned, or claimed by another collector.
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

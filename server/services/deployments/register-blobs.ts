import { sql } from 'kysely';
import { isPostgres, type Trx } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { mapConcurrently } from '#server/map-concurrently.ts';
import { requireWithinLimits } from '../limits/require-within-limits.ts';
import { REMOVAL_CLAIM_MS } from './rules.ts';

/** How many blobs are registered together, and how many look-ups in the store they make side by side. */
const REGISTERED_AT_ONCE = 200;
const LOOKUPS_AT_ONCE = 32;

interface StoredContent {
  sha256: string;
  size: number;
}

/**
 * Records that the organization has sent content which is durable in the store. Returns the hashes whose bytes are gone
 * all the same and have to be sent again: empty, unless the collector removed them between the upload and this call.
 *
 * Why nothing is lost, without asking the store while a lock is held:
 *
 * 1. The row is written first, and a condemned one pardoned; from then on it is young, and no collector touches it. A row
 *    that a collector has claimed stays as it is: its bytes are going.
 * 2. The bytes are looked at. No removal of them can be under way any more: its claim would still stand, or it ended
 *    before the row was written.
 * 3. Only what was found becomes the organization's, if the row still stands. A row without bytes belongs to nobody; the
 *    next upload fills it, or the collector takes it.
 *
 * @throws limit_stored_bytes; nothing of the part that would pass the limit becomes the organization's
 */
export async function registerBlobs(
  app: App,
  organizationId: string,
  blobs: readonly StoredContent[],
): Promise<string[]> {
  const unique = [...new Map(blobs.map((blob) => [blob.sha256, blob])).values()];
  // One order for everybody, so that two uploads never wait for each other in a circle.
  unique.sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  const gone: string[] = [];
  for (let start = 0; start < unique.length; start += REGISTERED_AT_ONCE) {
    gone.push(...(await registerPart(app, organizationId, unique.slice(start, start + REGISTERED_AT_ONCE))));
  }
  return gone;
}

async function registerPart(
  app: App,
  organizationId: string,
  blobs: readonly StoredContent[],
): Promise<string[]> {
  const pardoned = await inTransaction(app.db, (trx) => writeRows(trx, blobs, app.clock.now()));
  const isThere = await mapConcurrently(pardoned, LOOKUPS_AT_ONCE, (sha256) =>
    app.blobs.has(sha256, 'identity'),
  );
  const present = pardoned.filter((_, index) => isThere[index]);
  const registered = new Set(
    await inTransaction(app.db, (trx) => giveToOrganization(trx, app, organizationId, present)),
  );
  return blobs.map((blob) => blob.sha256).filter((sha256) => !registered.has(sha256));
}

/** Writes young rows and returns their hashes; those that a collector is removing are not among them. */
async function writeRows(trx: Trx, blobs: readonly StoredContent[], now: number): Promise<string[]> {
  const rows = await trx
    .insertInto('blobs')
    .values(
      blobs.map(({ sha256, size }) => ({
        sha256,
        size,
        created_at: now,
        touched_at: now,
        condemned_at: null,
        removal_started_at: null,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .column('sha256')
        .doUpdateSet({
          // A row that was made for stray bytes does not know it.
          size: sql`excluded.size`,
          touched_at: now,
          condemned_at: null,
          removal_started_at: null,
        })
        .where((eb) =>
          eb.or([
            eb('blobs.removal_started_at', 'is', null),
            eb('blobs.removal_started_at', '<', now - REMOVAL_CLAIM_MS),
          ]),
        ),
    )
    .returning('sha256')
    .execute();
  return rows.map((row) => row.sha256).sort();
}

/** Makes content the organization's and returns the hashes of what still had its row. @throws limit_stored_bytes */
async function giveToOrganization(
  trx: Trx,
  app: App,
  organizationId: string,
  hashes: readonly string[],
): Promise<string[]> {
  if (hashes.length === 0) return [];
  const rows = await trx
    .selectFrom('blobs')
    .select(['sha256', 'size'])
    .where('sha256', 'in', hashes)
    .where('condemned_at', 'is', null)
    .orderBy('sha256')
    // Nobody condemns them until the organization has them.
    .$if(isPostgres(trx), (query) => query.forShare())
    .execute();
  if (rows.length === 0) return [];
  const created_at = app.clock.now();
  const added = await trx
    .insertInto('organization_blobs')
    .values(rows.map((row) => ({ organization_id: organizationId, ...row, created_at })))
    .onConflict((conflict) => conflict.columns(['organization_id', 'sha256']).doNothing())
    .returning('size')
    .execute();
  if (added.some(({ size }) => size > 0)) {
    await requireWithinLimits(trx, app, organizationId, ['stored_bytes']);
  }
  return rows.map((row) => row.sha256);
}

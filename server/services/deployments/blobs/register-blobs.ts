import { sql } from 'kysely';
import { isPostgres, type Trx } from '#db/client.ts';
import { type CommitOptions, inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { requireWithinLimits } from '../../limits/require-within-limits.ts';
import { REMOVAL_CLAIM_MS } from '../rules.ts';
import { forgetLostFiles } from './lost-files.ts';

/** Rows written in one transaction. */
const ROWS_AT_ONCE = 200;

interface StoredContent {
  sha256: string;
  size: number;
}

/**
 * Writes the rows of content that is about to be stored, and returns the hashes that may be: all of them,
 * unless a collector is removing some. Nothing waits for the disk: a row without bytes belongs to no
 * organization; the next upload fills it, or the collector removes it.
 * Why no content is lost, without calling the store while holding a lock:
 * 1. `announceBlobs` writes the row, or pardons a condemned one; from then on it is young, and no collector
 * touches it. A row that a collector has claimed stays as it is: its bytes are being removed.
 * 2. The bytes are written. No removal of them can be in progress any more: its claim would still be there,
 * or it ended before the row was written.
 * 3. `registerBlobs` gives the content to the organization, if the row still exists and was not condemned
 * meanwhile.
 */
export async function announceBlobs(
  app: App,
  organizationId: string,
  blobs: readonly StoredContent[],
): Promise<string[]> {
  const slice = app.slices.begin(organizationId);
  const writable: string[] = [];
  for (const part of partsOf(blobs)) {
    await slice.breathe();
    const write = (trx: Trx) => insertRows(trx, part, app.clock.now());
    writable.push(...(await inTransaction(app.db, write, { isDeferred: true })));
  }
  return writable;
}

/**
 * Gives announced content that is durable in the store to the organization. Returns the hashes that must be
 * sent again: none, unless a collector took some meanwhile. Only the last commit waits for the disk, and with
 * `isDeferred` not even that.
 * @throws limit_stored_bytes; then nothing of the part that would exceed the limit is given
 */
export async function registerBlobs(
  app: App,
  organizationId: string,
  blobs: readonly StoredContent[],
  { isDeferred = false }: CommitOptions = {},
): Promise<string[]> {
  const slice = app.slices.begin(organizationId);
  const gone: string[] = [];
  const parts = partsOf(blobs);
  for (const [index, part] of parts.entries()) {
    await slice.breathe();
    const hashes = part.map(({ sha256 }) => sha256);
    const give = (trx: Trx) => giveToOrganization(trx, app, organizationId, hashes);
    const isLast = index === parts.length - 1;
    const registered = await inTransaction(app.db, give, { isDeferred: isDeferred || !isLast });
    const isRegistered = new Set(registered);
    gone.push(...hashes.filter((sha256) => !isRegistered.has(sha256)));
  }
  return gone;
}

/**
 * Splits content into portions for one transaction, always in the same order, so that two uploads never
 * deadlock.
 */
function partsOf(blobs: readonly StoredContent[]): StoredContent[][] {
  const unique = [...new Map(blobs.map((blob) => [blob.sha256, blob])).values()];
  unique.sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  const parts: StoredContent[][] = [];
  for (let start = 0; start < unique.length; start += ROWS_AT_ONCE) {
    parts.push(unique.slice(start, start + ROWS_AT_ONCE));
  }
  return parts;
}

/** Writes young rows and returns their hashes, without those that a collector is removing. */
async function insertRows(trx: Trx, blobs: readonly StoredContent[], now: number): Promise<string[]> {
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
          // A row created for stray bytes does not have it.
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

/**
 * Gives content to the organization and returns the hashes of what still had its row.
 * @throws limit_stored_bytes
 */
async function giveToOrganization(
  trx: Trx,
  app: App,
  organizationId: string,
  hashes: readonly string[],
): Promise<string[]> {
  const rows = await trx
    .selectFrom('blobs')
    .select(['sha256', 'size'])
    .where('sha256', 'in', hashes)
    .where('condemned_at', 'is', null)
    .orderBy('sha256')
    // They cannot be condemned until the organization has them.
    .$if(isPostgres(trx), (query) => query.forShare())
    .execute();
  if (rows.length === 0) return [];
  await forgetLostFiles(trx, hashes);
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

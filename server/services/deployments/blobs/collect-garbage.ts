import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App, RequestContext } from '#server/context.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { workThrough } from '../../stuck-work/work-through.ts';
import { dropVersion } from '../drop-version.ts';
import { removeUnusedRuleSets } from '../rule-sets/remove-unused-rule-sets.ts';
import { ABANDONED_AFTER_MS } from '../rules.ts';
import { removeCondemnedBlobs } from './remove-condemned-blobs.ts';

/** The job name under which failed removals are recorded. */
const GARBAGE_JOB = 'collect-garbage';
/** Content that one statement checks, referenced or not. */
export const LOOKED_AT_ONCE = 2_000;

/** What one collection removed. */
export interface CollectedGarbage {
  versions: number;
  blobs: number;
}

/**
 * Removes open versions that have not been touched for a day, content that no manifest has referred to and no
 * upload has touched for a day, and rules that no version uses. Safe to run alongside uploads, deploys and
 * other collectors, and to interrupt at any point:
 * 1. Condemn: one transaction marks the row, if it is still old and unreferenced, and takes the content from
 * every organization. From then on it counts as missing, and an organization that opens a version with it
 * sends it again.
 * 2. Remove: the row is claimed, the bytes are removed, the row is removed (remove-condemned-blobs.ts). An
 * upload that pardons the row before the claim keeps the bytes; a later one is told to send them again
 * (register-blobs.ts).
 * A crash between or within the steps leaves a condemned row, which a later run finishes. Content that cannot
 * be removed waits, and does not block other removals.
 */
export async function collectGarbage(
  context: RequestContext,
  stopping?: AbortSignal,
): Promise<CollectedGarbage> {
  const { app } = context;
  const versions = await dropAbandonedVersions(context, stopping);
  await condemnUnusedBlobs(app, stopping);
  await removeUnusedRuleSets(app, stopping);
  const blobs = await removeCondemnedBlobs(app, GARBAGE_JOB, stopping);
  if (!stopping?.aborted) await app.blobs.cleanUp();
  return { versions, blobs };
}

interface AbandonedVersion {
  id: string;
  site_id: string;
  organization_id: string;
  number: number;
  /** Its removal began, and was interrupted. */
  removed_at: number | null;
}

function dropAbandonedVersions(context: RequestContext, stopping?: AbortSignal): Promise<number> {
  const { app } = context;
  const touchedBefore = app.clock.now() - ABANDONED_AFTER_MS;
  return workThrough(app, {
    job: GARBAGE_JOB,
    list: (after, limit) =>
      app.db
        .selectFrom('site_versions')
        .select(['id', 'site_id', 'organization_id', 'number', 'removed_at'])
        .where('sealed_at', 'is', null)
        .where(({ or, eb }) => or([eb('touched_at', '<', touchedBefore), eb('removed_at', 'is not', null)]))
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),
    nameOf: ({ id }) => id,
    work: (version) => expireVersion(context, version, touchedBefore),
    stopping,
  });
}

/** Returns whether the version has not been touched meanwhile. */
async function expireVersion(
  context: RequestContext,
  version: AbandonedVersion,
  touchedBefore: number,
): Promise<boolean> {
  if (version.removed_at !== null) return dropVersion(context, version.id);
  const isExpired = await inUnitOfWork(context, async ({ trx, now, audit }) => {
    const result = await trx
      .updateTable('site_versions')
      .set({ removed_at: now })
      .where('id', '=', version.id)
      .where('sealed_at', 'is', null)
      .where('touched_at', '<', touchedBefore)
      .executeTakeFirst();
    if (result.numUpdatedRows === 0n) return false;
    await audit({
      action: 'version.expire',
      resource_type: 'site',
      resource_id: version.site_id,
      organization_id: version.organization_id,
      before: { version_id: version.id, number: version.number },
    });
    return true;
  });
  return isExpired && dropVersion(context, version.id);
}

/**
 * Returns content after a given hash that is unreferenced and has not been touched since `touchedBefore`.
 * When nearly everything is in use, all of it is checked, a part in each statement: no server allows a
 * statement that runs for minutes.
 */
async function listUnusedBlobs(
  db: Db,
  touchedBefore: number,
  after: string,
  limit: number,
): Promise<{ sha256: string }[]> {
  const found: { sha256: string }[] = [];
  for (let from = after; found.length < limit; ) {
    const end = await db
      .selectFrom('blobs')
      .select('sha256')
      .where('sha256', '>', from)
      .orderBy('sha256')
      .offset(LOOKED_AT_ONCE - 1)
      .limit(1)
      .executeTakeFirst();
    let unused = selectUnusedBlobs(db, touchedBefore).where('blobs.sha256', '>', from);
    if (end) unused = unused.where('blobs.sha256', '<=', end.sha256);
    found.push(
      ...(await unused
        .orderBy('blobs.sha256')
        .limit(limit - found.length)
        .execute()),
    );
    if (!end) break;
    from = end.sha256;
    await nextTurn();
  }
  return found;
}

function selectUnusedBlobs(db: Db, touchedBefore: number) {
  return db
    .selectFrom('blobs')
    .select('blobs.sha256')
    .where('blobs.touched_at', '<', touchedBefore)
    .where('blobs.condemned_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('version_files')
            .select('version_files.version_id')
            .whereRef('version_files.sha256', '=', 'blobs.sha256'),
        ),
      ),
    );
}

async function condemnUnusedBlobs(app: App, stopping?: AbortSignal): Promise<void> {
  const now = app.clock.now();
  const touchedBefore = now - ABANDONED_AFTER_MS;
  await workThrough(app, {
    job: GARBAGE_JOB,
    list: (after, limit) => listUnusedBlobs(app.db, touchedBefore, after, limit),
    nameOf: ({ sha256 }) => sha256,
    work: async ({ sha256 }) => {
      await condemnBlob(app, sha256, touchedBefore, now);
      return true;
    },
    stopping,
  });
}

/**
 * The age is checked on the row itself, so that PostgreSQL checks it again after waiting for a deploy that
 * has just touched the blob. Whether a manifest refers to it is checked afterwards, in a statement that sees
 * what was committed while we waited for the lock.
 */
async function condemnBlob(app: App, sha256: string, touchedBefore: number, now: number): Promise<void> {
  await inTransaction(app.db, async (trx) => {
    const result = await trx
      .updateTable('blobs')
      .set({ condemned_at: now })
      .where('sha256', '=', sha256)
      .where('touched_at', '<', touchedBefore)
      .where('condemned_at', 'is', null)
      .executeTakeFirst();
    if (result.numUpdatedRows === 0n) return;
    const naming = await trx
      .selectFrom('version_files')
      .select('version_id')
      .where('sha256', '=', sha256)
      .limit(1)
      .executeTakeFirst();
    if (naming) {
      await trx
        .updateTable('blobs')
        .set({ condemned_at: null, touched_at: now })
        .where('sha256', '=', sha256)
        .execute();
      return;
    }
    await trx.deleteFrom('organization_blobs').where('sha256', '=', sha256).execute();
  });
}

import { sql } from 'kysely';
import { isPostgres, type Trx } from '#db/client.ts';
import type { OrganizationContext } from '#server/context.ts';
import { contentTypeOf } from '#server/edge/fields/content-type.ts';
import { AppError } from '#server/errors.ts';
import { requireRoomForContent } from '../../limits/require-room-for-content.ts';
import { requireWithinLimits } from '../../limits/require-within-limits.ts';
import { inUnitOfWork, type UnitOfWork } from '../../shared/unit-of-work.ts';
import { findMissingHashes, requireOpen } from '../queries.ts';
import { TOUCH_INTERVAL_MS } from '../rules.ts';
import { type ManifestFile, versionSizeProblem } from './manifest-rules.ts';

/**
 * Files written in one transaction: on SQLite it takes a few milliseconds, during which this process serves
 * nothing else and other processes cannot write.
 */
const FILES_AT_ONCE = 250;
/** Long paths take longer: those of one transaction have at most this many characters in total. */
const PATH_CHARACTERS_AT_ONCE = 64 * 1024;

/** One file's share of the database, its indexes and its log; a high estimate. */
const MANIFEST_ROW_BYTES = 512;

/**
 * Writes checked files into an open version, in portions, and returns the hashes that the organization has
 * not sent yet. From the commit on, the content of a portion is not collected as garbage. Files that are
 * already there are fine, so an interrupted call can be repeated.
 * @param begin what belongs to the transaction of the first portion
 * @throws storage_full when the manifest would use the reserve of the database's disk; organization_busy;
 * version_sealed, version_not_found, file_differs, limit_files, limit_version_bytes, limit_stored_files,
 * limit_stored_bytes
 */
export async function addManifestFiles(
  context: OrganizationContext,
  versionId: string,
  files: readonly ManifestFile[],
  begin: (unit: UnitOfWork) => Promise<void> = async () => undefined,
): Promise<string[]> {
  const { app, organization } = context;
  const missing = new Set<string>();
  let missingBytes = 0;
  await app.databaseDisk?.requireRoom(files.length * MANIFEST_ROW_BYTES);
  await app.deployWork.manifests.run(organization.id, async () => {
    const slice = app.slices.begin(organization.id);
    let done = 0;
    for (const portion of portionsOf(files)) {
      const isFirst = done === 0;
      done += portion.length;
      const add = async (unit: UnitOfWork) => {
        if (isFirst) await begin(unit);
        return addPortion(unit, context, versionId, portion);
      };
      // The last portion waits for the disk, and with it all earlier ones.
      const hashes = await inUnitOfWork(context, add, { isDeferred: done < files.length });
      const sizes = new Map(portion.map(({ sha256, size }) => [sha256, size]));
      for (const sha256 of hashes) {
        if (missing.has(sha256)) continue;
        missing.add(sha256);
        missingBytes += sizes.get(sha256) ?? 0;
      }
      await slice.breathe();
    }
  });
  await requireRoomForContent(app.db, app, organization.id, missingBytes);
  return [...missing];
}

/** Splits files so that each portion is written in a few milliseconds. */
function* portionsOf(files: readonly ManifestFile[]): Generator<ManifestFile[]> {
  let start = 0;
  let characters = 0;
  for (const [index, { path }] of files.entries()) {
    const isFull = index - start >= FILES_AT_ONCE || characters + path.length > PATH_CHARACTERS_AT_ONCE;
    if (isFull && index > start) {
      yield files.slice(start, index);
      start = index;
      characters = 0;
    }
    characters += path.length;
  }
  if (start < files.length) yield files.slice(start);
}

async function addPortion(
  { trx, now }: UnitOfWork,
  context: OrganizationContext,
  versionId: string,
  files: readonly ManifestFile[],
): Promise<string[]> {
  await lockOpenVersion(trx, context, versionId, now);
  const added = await withoutKnown(trx, versionId, files);
  if (added.length > 0) {
    await count(trx, context, versionId, added);
    await trx
      .insertInto('version_files')
      .values(
        added.map((file) => ({ version_id: versionId, ...file, content_type: contentTypeOf(file.path) })),
      )
      .execute();
  }
  const hashes = [...new Set(files.map((file) => file.sha256))].sort();
  await touchBlobs(trx, context.organization.id, hashes, now);
  return findMissingHashes(trx, context.organization.id, hashes);
}

/**
 * Makes a seal, and other parts of the manifest, wait until this transaction ends.
 * @throws version_sealed, version_not_found
 */
async function lockOpenVersion(
  trx: Trx,
  { organization }: OrganizationContext,
  versionId: string,
  now: number,
): Promise<void> {
  const row = await trx
    .updateTable('site_versions')
    .set({ touched_at: now })
    .where('id', '=', versionId)
    .where('organization_id', '=', organization.id)
    .returning(['sealed_at', 'removed_at'])
    .executeTakeFirst();
  requireOpen(row);
}

/** @throws file_differs for a path that the version already lists with other content */
async function withoutKnown(
  trx: Trx,
  versionId: string,
  files: readonly ManifestFile[],
): Promise<ManifestFile[]> {
  const rows = await trx
    .selectFrom('version_files')
    .select(['path', 'sha256', 'size'])
    .where('version_id', '=', versionId)
    .where(
      'path',
      'in',
      files.map((file) => file.path),
    )
    .execute();
  const known = new Map(rows.map((row) => [row.path, row]));
  return files.filter(({ path, sha256, size }) => {
    const row = known.get(path);
    if (row && (row.sha256 !== sha256 || row.size !== size)) throw new AppError('file_differs', { path });
    return row === undefined;
  });
}

/** @throws limit_files, limit_version_bytes, limit_stored_files */
async function count(
  trx: Trx,
  { app, organization }: OrganizationContext,
  versionId: string,
  added: readonly ManifestFile[],
): Promise<void> {
  const bytes = added.reduce((sum, file) => sum + file.size, 0);
  const row = await trx
    .updateTable('site_versions')
    .set((eb) => ({
      file_count: eb('file_count', '+', added.length),
      total_bytes: eb('total_bytes', '+', bytes),
    }))
    .where('id', '=', versionId)
    .returning(['file_count', 'total_bytes'])
    .executeTakeFirstOrThrow();
  await requireWithinLimits(trx, app, organization.id, ['stored_files']);
  const problem = versionSizeProblem(row.file_count, row.total_bytes, app.config.deployLimits);
  if (problem) throw new AppError(problem.code, problem.params);
}

/**
 * Marks old blobs of the organization as used, before checking which are missing: the collector reads the
 * mark again under the row's lock, so it either sees this manifest coming or has already taken the blob away
 * from the organization. Content of others is not touched: that would take time, and reveal that it exists.
 * Rows are locked in the order of their hashes, so that two deploys never deadlock.
 */
async function touchBlobs(
  trx: Trx,
  organizationId: string,
  hashes: readonly string[],
  now: number,
): Promise<void> {
  const old = trx
    .selectFrom('blobs')
    .innerJoin('organization_blobs', 'organization_blobs.sha256', 'blobs.sha256')
    .select('blobs.sha256')
    .where('organization_blobs.organization_id', '=', organizationId)
    .where('blobs.sha256', 'in', hashes)
    .where('blobs.touched_at', '<', now - TOUCH_INTERVAL_MS)
    .where('blobs.condemned_at', 'is', null);
  await trx
    .updateTable('blobs')
    .set({ touched_at: sql<number>`${now}` })
    .where('sha256', 'in', isPostgres(trx) ? old.orderBy('blobs.sha256').forUpdate('blobs') : old)
    .execute();
}

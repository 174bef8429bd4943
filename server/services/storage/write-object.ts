import type { Selectable } from 'kysely';
import { isPostgres, type Trx } from '#db/client.ts';
import type { ObjectsTable } from '#db/schema/objects.ts';
import { inTransaction } from '#db/transaction.ts';
import { isUniqueViolation } from '#db/unique-violation.ts';
import type { App } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import type { NewObject, S3Bucket, S3Object, S3Piece, WriteCondition } from '#server/s3/ports.ts';
import { S3Error } from '#server/s3/s3-error.ts';
import { toObject, toObjectRow } from './object-rows.ts';
import { requireRoom } from './require-room.ts';

const RACES_MAX = 5;

/** The current content under a key, as far as overwriting it requires. */
interface Standing {
  content_id: string;
  etag: string;
  size: number;
}

/**
 * Stores an object, replacing the current one under its key: from the commit on, every reader gets the new
 * one, complete. Of two concurrent writes, the last to commit stays.
 * @throws S3Error PreconditionFailed, NoSuchKey, NoSuchBucket, QuotaExceeded
 */
export async function writeObject(
  app: App,
  bucket: S3Bucket,
  object: NewObject,
  pieces: readonly Omit<S3Piece, 'modifiedAt'>[],
  { condition, partCount }: { condition: WriteCondition; partCount: number | null },
): Promise<S3Object> {
  const now = app.clock.now();
  const contentId = newId(now);
  const size = pieces.reduce((sum, piece) => sum + piece.size, 0);
  const row = toObjectRow(bucket.id, contentId, object, { size, partCount, now });
  await retryRace(() =>
    inTransaction(app.db, async (trx) => {
      await requireActive(trx, bucket.id);
      await trx
        .insertInto('object_pieces')
        .values(
          pieces.map((piece) => ({
            content_id: contentId,
            part_number: piece.partNumber,
            id: piece.id,
            bucket_id: bucket.id,
            size: piece.size,
            etag: piece.etag,
            checksum: piece.checksum,
            created_at: now,
          })),
        )
        .execute();
      await replaceObject(trx, app, bucket, row, condition);
    }),
  );
  return toObject(row);
}

/**
 * Repeats a transaction that lost a race for an unused key: PostgreSQL makes the second one wait for the
 * first and then rejects its row, and now there is something to overwrite, or a condition that fails.
 */
export async function retryRace<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      if (attempt === RACES_MAX) throw new S3Error('OperationAborted');
    }
  }
}

/**
 * Inserts a row under its key inside a transaction, and releases the one it replaces.
 * @throws like writeObject
 */
export async function replaceObject(
  trx: Trx,
  app: App,
  bucket: S3Bucket,
  row: Selectable<ObjectsTable>,
  condition: WriteCondition,
): Promise<void> {
  const standing = await lockObject(trx, bucket.id, row.key);
  requireCondition(standing, condition);
  await requireRoom(trx, app, bucket, row.size - (standing?.size ?? 0));
  if (standing === null) await trx.insertInto('objects').values(row).execute();
  else {
    await trx
      .updateTable('objects')
      .set(row)
      .where('bucket_id', '=', bucket.id)
      .where('key', '=', row.key)
      .execute();
    await giveUpContent(trx, standing.content_id, row.modified_at);
  }
  await noteChange(trx, bucket.id, {
    objects: standing === null ? 1 : 0,
    bytes: row.size - (standing?.size ?? 0),
    now: row.modified_at,
  });
}

/**
 * Deletes the object under a key. Returns whether there was one.
 * @throws S3Error PreconditionFailed
 */
export async function removeObject(
  app: App,
  bucketId: string,
  key: string,
  condition: WriteCondition,
): Promise<boolean> {
  const now = app.clock.now();
  return inTransaction(app.db, async (trx) => {
    const standing = await lockObject(trx, bucketId, key);
    if (standing === null) {
      if (condition.kind === 'matches') throw new S3Error('PreconditionFailed');
      return false;
    }
    requireCondition(standing, condition);
    await trx.deleteFrom('objects').where('bucket_id', '=', bucketId).where('key', '=', key).execute();
    await giveUpContent(trx, standing.content_id, now);
    await noteChange(trx, bucketId, { objects: -1, bytes: -standing.size, now });
    return true;
  });
}

/**
 * Returns when the bucket is active, and keeps it so until the transaction ends.
 * @throws S3Error NoSuchBucket
 */
export async function requireActive(trx: Trx, bucketId: string): Promise<void> {
  const row = await trx
    .selectFrom('buckets')
    .select('id')
    .where('id', '=', bucketId)
    .where('status', '=', 'active')
    .$if(isPostgres(trx), (query) => query.forKeyShare())
    .executeTakeFirst();
  if (!row) throw new S3Error('NoSuchBucket');
}

async function lockObject(trx: Trx, bucketId: string, key: string): Promise<Standing | null> {
  const row = await trx
    .selectFrom('objects')
    .select(['content_id', 'etag', 'size'])
    .where('bucket_id', '=', bucketId)
    .where('key', '=', key)
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}

/** @throws S3Error PreconditionFailed, NoSuchKey */
function requireCondition(standing: Standing | null, condition: WriteCondition): void {
  if (condition.kind === 'absent' && standing !== null) throw new S3Error('PreconditionFailed');
  if (condition.kind !== 'matches') return;
  if (standing === null) throw new S3Error('NoSuchKey');
  if (condition.etag !== '*' && condition.etag !== standing.etag) throw new S3Error('PreconditionFailed');
}

/** Deletes objects whose rows the transaction has read, and locked if the database does not do so itself. */
export async function dropObjects(
  trx: Trx,
  bucketId: string,
  objects: readonly { key: string; content_id: string; size: number }[],
  now: number,
): Promise<void> {
  if (objects.length === 0) return;
  await giveUpContents(
    trx,
    objects.map(({ content_id }) => content_id),
    now,
  );
  const keys = objects.map(({ key }) => key);
  await trx.deleteFrom('objects').where('bucket_id', '=', bucketId).where('key', 'in', keys).execute();
  const bytes = -objects.reduce((sum, { size }) => sum + size, 0);
  await noteChange(trx, bucketId, { objects: -objects.length, bytes, now });
}

/** Marks content as unreferenced: its bytes are removed once no reader can be using them. */
export function giveUpContent(trx: Trx, contentId: string, now: number): Promise<void> {
  return giveUpContents(trx, [contentId], now);
}

async function giveUpContents(trx: Trx, contentIds: readonly string[], now: number): Promise<void> {
  await trx
    .insertInto('removed_pieces')
    .columns(['id', 'removed_at'])
    .expression((eb) =>
      eb
        .selectFrom('object_pieces')
        .select((inner) => ['id', inner.val(now).as('removed_at')])
        .where('content_id', 'in', contentIds),
    )
    .execute();
  await trx.deleteFrom('object_pieces').where('content_id', 'in', contentIds).execute();
}

/** Records how a write changed the sums of its bucket. */
export async function noteChange(
  trx: Trx,
  bucketId: string,
  { objects, bytes, now }: { objects: number; bytes: number; now: number },
): Promise<void> {
  if (objects === 0 && bytes === 0) return;
  await trx
    .insertInto('bucket_changes')
    .values({ id: newId(now), bucket_id: bucketId, objects, bytes, changed_at: now })
    .execute();
}

import type { Selectable } from 'kysely';
import { isPostgres, type Trx } from '#db/client.ts';
import { preparedQuery } from '#db/prepared-query.ts';
import type { ObjectsTable } from '#db/schema/objects.ts';
import { inTransaction } from '#db/transaction.ts';
import { isUniqueViolation } from '#db/unique-violation.ts';
import type { App } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import type {
  DeleteCondition,
  NewObject,
  NewPiece,
  S3Bucket,
  S3Object,
  WriteCondition,
} from '#server/s3/ports.ts';
import { S3Error } from '#server/s3/s3-error.ts';
import { noteChange } from '../buckets/note-change.ts';
import { giveUpContent } from '../pieces/give-up-content.ts';
import { insertPiece } from '../pieces/insert-piece.ts';
import { requireRoom } from '../require-room.ts';
import { toObject, toObjectRow } from './object-rows.ts';

const RACES_MAX = 5;

// The statements of every write of an object, compiled once.
const holdActive = preparedQuery((executor, bucketId: string) =>
  executor
    .selectFrom('buckets')
    .select('id')
    .where('id', '=', bucketId)
    .where('status', '=', 'active')
    .$if(isPostgres(executor), (query) => query.forKeyShare()),
);
const selectStanding = preparedQuery((executor, bucketId: string, key: string) =>
  executor
    .selectFrom('objects')
    .select(['content_id', 'etag', 'size', 'modified_at'])
    .where('bucket_id', '=', bucketId)
    .where('key', '=', key)
    .$if(isPostgres(executor), (query) => query.forUpdate()),
);

/** The columns of an object in the order in which statements are given their values. */
type ObjectColumns = [
  bucket_id: string,
  key: string,
  content_id: string,
  size: number,
  etag: string,
  headers: string,
  metadata: string,
  tags: string,
  checksum_algorithm: string | null,
  checksum_type: string | null,
  checksum: string | null,
  part_count: number | null,
  modified_at: number,
];
const insertObject = preparedQuery((executor, ...columns: ObjectColumns) =>
  executor.insertInto('objects').values(toRow(columns)),
);
const updateObject = preparedQuery((executor, ...columns: ObjectColumns) => {
  const { bucket_id, key, ...changed } = toRow(columns);
  return executor
    .updateTable('objects')
    .set(changed)
    .where('bucket_id', '=', bucket_id)
    .where('key', '=', key);
});

function toColumns(row: Selectable<ObjectsTable>): ObjectColumns {
  const { bucket_id, key, content_id, size, etag, headers, metadata, tags } = row;
  const { checksum_algorithm, checksum_type, checksum, part_count, modified_at } = row;
  const told = [headers, metadata, tags, checksum_algorithm, checksum_type, checksum] as const;
  return [bucket_id, key, content_id, size, etag, ...told, part_count, modified_at];
}

function toRow(columns: ObjectColumns): Selectable<ObjectsTable> {
  const [bucket_id, key, content_id, size, etag, headers, metadata, tags, ...more] = columns;
  const [checksum_algorithm, checksum_type, checksum, part_count, modified_at] = more;
  const told = { headers, metadata, tags, checksum_algorithm, checksum_type, checksum };
  return { bucket_id, key, content_id, size, etag, ...told, part_count, modified_at };
}

const deleteObject = preparedQuery((executor, bucketId: string, key: string) =>
  executor.deleteFrom('objects').where('bucket_id', '=', bucketId).where('key', '=', key),
);

/** The current content under a key, as far as overwriting it requires. */
interface Standing {
  content_id: string;
  etag: string;
  size: number;
  modified_at: number;
}

/**
 * Stores an object of one piece, replacing the current one under its key: from the commit on, every reader gets the new
 * one, complete. Of two concurrent writes, the last to commit stays.
 * @throws S3Error PreconditionFailed, NoSuchKey, NoSuchBucket, QuotaExceeded, AccountProblem
 */
export async function writeObject(
  app: App,
  bucket: S3Bucket,
  object: NewObject,
  piece: NewPiece,
  condition: WriteCondition,
): Promise<S3Object> {
  const now = app.clock.now();
  const contentId = newId(now);
  const row = toObjectRow(bucket.id, contentId, object, { size: piece.size, partCount: null, now });
  await retryRace(() =>
    inTransaction(app.db, async (trx) => {
      await requireActive(trx, bucket.id);
      await insertPiece(trx, { contentId, bucketId: bucket.id, partNumber: 1, now }, piece);
      await replaceObject(trx, bucket, row, condition, {
        takeRoom: (bytes, items) => requireRoom(app, bucket, { bytes, items, unfinished: 0 }),
      });
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
 * @param more.takeRoom called with the bytes and objects by which the bucket grows, for content that is not counted yet
 * @param more.uploadedSince when a multipart upload of the content began, in epoch milliseconds
 * @throws like writeObject, and ConditionalRequestConflict
 */
export async function replaceObject(
  trx: Trx,
  bucket: S3Bucket,
  row: Selectable<ObjectsTable>,
  condition: WriteCondition,
  more: { takeRoom?: (bytes: number, objects: number) => void; uploadedSince?: number } = {},
): Promise<void> {
  const standing = await lockObject(trx, bucket.id, row.key);
  requireCondition(standing, row.key, condition);
  requireUnchanged(standing, row.key, condition, more.uploadedSince);
  more.takeRoom?.(row.size - (standing?.size ?? 0), standing === null ? 1 : 0);
  if (standing === null) await insertObject(trx, ...toColumns(row));
  else {
    await updateObject(trx, ...toColumns(row));
    await giveUpContent(trx, standing.content_id, row.modified_at);
  }
  await noteChange(trx, bucket.id, {
    objects: standing === null ? 1 : 0,
    bytes: row.size - (standing?.size ?? 0),
    now: row.modified_at,
  });
}

/**
 * Deletes the object under a key; nothing when there is none.
 * @throws S3Error PreconditionFailed, and NoSuchKey when an entity tag was expected of nothing
 */
export async function removeObject(
  app: App,
  bucketId: string,
  key: string,
  condition: DeleteCondition,
): Promise<void> {
  const now = app.clock.now();
  await inTransaction(app.db, async (trx) => {
    const standing = await lockObject(trx, bucketId, key);
    if (standing === null) {
      if (condition.etag !== null) throw noSuchKey(key);
      return;
    }
    const failed = unmetCondition(standing, condition);
    if (failed !== null) throw failedCondition(failed);
    await deleteObject(trx, bucketId, key);
    await giveUpContent(trx, standing.content_id, now);
    await noteChange(trx, bucketId, { objects: -1, bytes: -standing.size, now });
  });
}

/**
 * Returns when the bucket is active, and keeps it so until the transaction ends.
 * @throws S3Error NoSuchBucket
 */
export async function requireActive(trx: Trx, bucketId: string): Promise<void> {
  const [row] = await holdActive(trx, bucketId);
  if (!row) throw new S3Error('NoSuchBucket');
}

async function lockObject(trx: Trx, bucketId: string, key: string): Promise<Standing | null> {
  const [row] = await selectStanding(trx, bucketId, key);
  return row ?? null;
}

/** @throws S3Error PreconditionFailed, NoSuchKey */
function requireCondition(standing: Standing | null, key: string, condition: WriteCondition): void {
  if (condition.kind === 'absent' && standing !== null) throw failedCondition('If-None-Match');
  if (condition.kind === 'differs' && condition.etag === standing?.etag)
    throw failedCondition('If-None-Match');
  if (condition.kind !== 'matches') return;
  if (standing === null) throw noSuchKey(key);
  if (condition.etag !== '*' && condition.etag !== standing.etag) throw failedCondition('If-Match');
}

/**
 * Requires, like S3, that what a completed upload is to replace was not written while it was uploaded: its writer has not seen
 * the parts that came before.
 * @throws S3Error ConditionalRequestConflict
 */
function requireUnchanged(
  standing: Standing | null,
  key: string,
  condition: WriteCondition,
  since = Number.POSITIVE_INFINITY,
): void {
  if (condition.kind !== 'matches' || condition.etag === '*') return;
  if (standing === null || standing.modified_at <= since) return;
  throw new S3Error('ConditionalRequestConflict', undefined, { Condition: 'If-Match', Key: key });
}

function noSuchKey(key: string): S3Error {
  return new S3Error('NoSuchKey', undefined, { Key: key });
}

function failedCondition(name: string): S3Error {
  return new S3Error('PreconditionFailed', undefined, { Condition: name });
}

/** Returns the condition that an object does not meet, or null. */
function unmetCondition(standing: Standing, { etag, size, modifiedAt }: DeleteCondition): string | null {
  if (etag !== null && etag !== '*' && etag !== standing.etag) return 'If-Match';
  if (size !== null && size !== standing.size) return 'If-Match-Size';
  const isSameTime = modifiedAt === null || modifiedAt === Math.floor(standing.modified_at / 1000);
  return isSameTime ? null : 'If-Match-Last-Mod-Time';
}

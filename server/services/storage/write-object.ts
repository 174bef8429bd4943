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
import { toObject, toObjectRow } from './object-rows.ts';
import { requireRoom } from './require-room.ts';

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
const insertPiece = preparedQuery(
  (
    executor,
    content_id: string,
    part_number: number,
    id: string,
    bucket_id: string,
    size: number,
    etag: string,
    checksum: string | null,
    created_at: number,
    content: Uint8Array | null,
  ) =>
    executor
      .insertInto('object_pieces')
      .values({ content_id, part_number, id, bucket_id, size, etag, checksum, created_at, content }),
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
const noteRemoved = preparedQuery((executor, contentId: string, now: number) =>
  executor
    .insertInto('removed_pieces')
    .columns(['id', 'removed_at'])
    .expression((eb) =>
      eb
        .selectFrom('object_pieces')
        .select((inner) => ['id', inner.cast<number>(inner.val(now), 'bigint').as('removed_at')])
        .where('content_id', '=', contentId)
        .where('content', 'is', null),
    ),
);
const deletePieces = preparedQuery((executor, contentId: string) =>
  executor.deleteFrom('object_pieces').where('content_id', '=', contentId),
);
const insertChange = preparedQuery(
  (executor, id: string, bucket_id: string, objects: number, bytes: number, changed_at: number) =>
    executor.insertInto('bucket_changes').values({ id, bucket_id, objects, bytes, changed_at }),
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
  const { id, size, etag, checksum, content } = piece;
  const row = toObjectRow(bucket.id, contentId, object, { size, partCount: null, now });
  await retryRace(() =>
    inTransaction(app.db, async (trx) => {
      await requireActive(trx, bucket.id);
      await insertPiece(trx, contentId, 1, id, bucket.id, size, etag, checksum, now, content);
      await replaceObject(trx, bucket, row, condition, (bytes, items) =>
        requireRoom(trx, app, bucket, { bytes, items, unfinished: 0 }),
      );
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
 * @param takeRoom called with the bytes and objects by which the bucket grows, for content that is not counted yet
 * @throws like writeObject
 */
export async function replaceObject(
  trx: Trx,
  bucket: S3Bucket,
  row: Selectable<ObjectsTable>,
  condition: WriteCondition,
  takeRoom?: (bytes: number, objects: number) => Promise<void>,
): Promise<void> {
  const standing = await lockObject(trx, bucket.id, row.key);
  requireCondition(standing, condition);
  await takeRoom?.(row.size - (standing?.size ?? 0), standing === null ? 1 : 0);
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
 * @throws S3Error PreconditionFailed
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
      if (condition.etag !== null) throw failedCondition('If-Match');
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
function requireCondition(standing: Standing | null, condition: WriteCondition): void {
  if (condition.kind === 'absent' && standing !== null) throw failedCondition('If-None-Match');
  if (condition.kind !== 'matches') return;
  if (standing === null) throw new S3Error('NoSuchKey');
  if (condition.etag !== '*' && condition.etag !== standing.etag) throw failedCondition('If-Match');
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

/** Deletes objects whose rows the transaction has read, and locked if the database does not do so itself. */
export async function dropObjects(
  trx: Trx,
  bucketId: string,
  objects: readonly { key: string; content_id: string; size: number }[],
  now: number,
): Promise<void> {
  if (objects.length === 0) return;
  await removeObjects(trx, bucketId, objects, now);
  const bytes = -objects.reduce((sum, { size }) => sum + size, 0);
  await noteChange(trx, bucketId, { objects: -objects.length, bytes, now });
}

/** Deletes the rows of objects and gives up their content, without recording that the bucket has changed. */
export async function removeObjects(
  trx: Trx,
  bucketId: string,
  objects: readonly { key: string; content_id: string }[],
  now: number,
): Promise<void> {
  await giveUpContents(
    trx,
    objects.map(({ content_id }) => content_id),
    now,
  );
  const keys = objects.map(({ key }) => key);
  await trx.deleteFrom('objects').where('bucket_id', '=', bucketId).where('key', 'in', keys).execute();
}

/** Marks content as unreferenced: its bytes are removed once no reader can be using them. */
export async function giveUpContent(trx: Trx, contentId: string, now: number): Promise<void> {
  await noteRemoved(trx, contentId, now);
  await deletePieces(trx, contentId);
}

/** Pieces per transaction, because an object may have ten thousand. */
const PIECES_MAX = 10_000;

/** Returns the first of these objects that one transaction can remove: always at least one. */
export function withinPieces<T extends { part_count: number | null }>(objects: readonly T[]): T[] {
  let pieces = 0;
  return objects.filter(({ part_count }, index) => {
    pieces += part_count ?? 1;
    return index === 0 || pieces <= PIECES_MAX;
  });
}

/** Marks the content of several objects or uploads as unreferenced. */
export async function giveUpContents(trx: Trx, contentIds: readonly string[], now: number): Promise<void> {
  await noteRemovedOf(trx, 'content_id', contentIds, now);
  await trx.deleteFrom('object_pieces').where('content_id', 'in', contentIds).execute();
}

const STATEMENT_IDS_MAX = 500;

/** The same for single pieces. */
export async function giveUpPieces(trx: Trx, ids: readonly string[], now: number): Promise<void> {
  for (let at = 0; at < ids.length; at += STATEMENT_IDS_MAX) {
    const some = ids.slice(at, at + STATEMENT_IDS_MAX);
    await noteRemovedOf(trx, 'id', some, now);
    await trx.deleteFrom('object_pieces').where('id', 'in', some).execute();
  }
}

/** Notes pieces whose bytes lie in the store: those of others go with their rows. */
async function noteRemovedOf(
  trx: Trx,
  column: 'id' | 'content_id',
  values: readonly string[],
  now: number,
): Promise<void> {
  await trx
    .insertInto('removed_pieces')
    .columns(['id', 'removed_at'])
    .expression((eb) =>
      eb
        .selectFrom('object_pieces')
        .select((inner) => ['id', inner.cast<number>(inner.val(now), 'bigint').as('removed_at')])
        .where(column, 'in', values)
        .where('content', 'is', null),
    )
    .execute();
}

/** Records how a write changed the sums of its bucket. */
export async function noteChange(
  trx: Trx,
  bucketId: string,
  { objects, bytes, now }: { objects: number; bytes: number; now: number },
): Promise<void> {
  if (objects === 0 && bytes === 0) return;
  await insertChange(trx, newId(now), bucketId, objects, bytes, now);
}

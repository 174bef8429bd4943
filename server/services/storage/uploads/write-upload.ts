import { isPostgres, type Trx } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { App } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import type {
  CompletedUpload,
  NewPiece,
  ObjectHeaders,
  S3Access,
  S3Bucket,
  S3Object,
  S3Piece,
  S3Upload,
  WriteCondition,
} from '#server/s3/ports.ts';
import { S3Error } from '#server/s3/s3-error.ts';
import { consolePersonOf } from '../buckets/console-access.ts';
import { toHeaderColumns, toObject, toObjectRow } from '../objects/object-rows.ts';
import { replaceObject, requireActive, retryRace } from '../objects/write-object.ts';
import { giveUpContent, giveUpPieces } from '../pieces/give-up-content.ts';
import { insertPiece } from '../pieces/insert-piece.ts';
import { requireRoom } from '../require-room.ts';
import { noteParts, noteReplacedPart } from './note-parts.ts';
import { findPartSums } from './upload-queries.ts';

/** Whose request begins an upload. */
export type Initiator = Pick<S3Access, 'accessKeyId' | 'credentialId' | 'credentialName'>;

/**
 * Starts a multipart upload.
 * @throws S3Error NoSuchBucket, QuotaExceeded, AccountProblem
 */
export async function createUpload(
  app: App,
  bucket: S3Bucket,
  initiator: Initiator,
  { key, checksum, ...told }: ObjectHeaders & Pick<S3Upload, 'key' | 'checksum'>,
): Promise<S3Upload> {
  const now = app.clock.now();
  const id = newId(now);
  await inTransaction(app.db, async (trx) => {
    await requireActive(trx, bucket.id);
    requireRoom(app, bucket, { bytes: 0, items: 1, unfinished: 1 });
    await trx
      .insertInto('object_uploads')
      .values({
        bucket_id: bucket.id,
        key,
        id,
        ...toHeaderColumns(told),
        checksum_algorithm: checksum?.algorithm ?? null,
        checksum_type: checksum?.type ?? null,
        ...toInitiatorColumns(initiator),
        created_at: now,
      })
      .execute();
  });
  return { id, key, initiatedAt: now, checksum, ...told };
}

function toInitiatorColumns({ accessKeyId, credentialId, credentialName }: Initiator) {
  const userId = consolePersonOf(accessKeyId);
  if (userId !== null)
    return { initiator_kind: 'person', initiator_id: userId, initiator_name: null } as const;
  return {
    initiator_kind: 'credential',
    initiator_id: credentialId,
    initiator_name: credentialName,
  } as const;
}

/**
 * Stores a part, replacing another with its number.
 * @throws S3Error NoSuchUpload, QuotaExceeded, AccountProblem
 */
export async function putPart(
  app: App,
  bucket: S3Bucket,
  upload: S3Upload,
  part: NewPiece & Pick<S3Piece, 'partNumber'>,
): Promise<S3Piece> {
  const now = app.clock.now();
  await retryRace(() =>
    inTransaction(app.db, async (trx) => {
      await requireActive(trx, bucket.id);
      await requireUpload(trx, bucket.id, upload);
      requireRoom(app, bucket, { bytes: part.size, items: 1, unfinished: 1 });
      await removePart(trx, { bucketId: bucket.id, uploadId: upload.id, partNumber: part.partNumber }, now);
      const { partNumber } = part;
      await insertPiece(trx, { contentId: upload.id, bucketId: bucket.id, partNumber, now }, part);
    }),
  );
  return { ...part, modifiedAt: now };
}

/**
 * Locks the upload until the transaction ends: of a part and the completion, one waits.
 * @throws S3Error NoSuchUpload
 */
async function requireUpload(
  trx: Trx,
  bucketId: string,
  upload: Pick<S3Upload, 'key' | 'id'>,
  { isLast = false } = {},
): Promise<void> {
  if (!(await holdUpload(trx, bucketId, upload, { isLast }))) throw new S3Error('NoSuchUpload');
}

/** Returns whether the upload exists, and locks it for the transaction: a request that ends it runs alone, those that add parts run together. */
async function holdUpload(
  trx: Trx,
  bucketId: string,
  { key, id }: Pick<S3Upload, 'key' | 'id'>,
  { isLast }: { isLast: boolean },
): Promise<boolean> {
  const row = await trx
    .selectFrom('object_uploads')
    .select('id')
    .where('bucket_id', '=', bucketId)
    .where('key', '=', key)
    .where('id', '=', id)
    .$if(isPostgres(trx), (query) => (isLast ? query.forUpdate() : query.forKeyShare()))
    .executeTakeFirst();
  return row !== undefined;
}

async function removePart(
  trx: Trx,
  { bucketId, uploadId, partNumber }: { bucketId: string; uploadId: string; partNumber: number },
  now: number,
): Promise<void> {
  const [old] = await trx
    .selectFrom('object_pieces')
    .select(['id', 'size', 'created_at'])
    .where('content_id', '=', uploadId)
    .where('part_number', '=', partNumber)
    .execute();
  if (old === undefined) return;
  await noteReplacedPart(trx, bucketId, old, now);
  await giveUpPieces(trx, [old.id], now);
}

/**
 * Completes the object from its parts, and releases those that are not listed.
 * @throws S3Error NoSuchUpload, InvalidPart, PreconditionFailed, ConditionalRequestConflict
 */
export async function completeUpload(
  app: App,
  bucket: S3Bucket,
  upload: S3Upload,
  { etag, checksum, pieceIds, size }: CompletedUpload,
  condition: WriteCondition,
): Promise<S3Object> {
  const now = app.clock.now();
  const facts = { size, partCount: pieceIds.length, now };
  const row = toObjectRow(bucket.id, upload.id, { ...upload, etag, checksum }, facts);
  await retryRace(() =>
    inTransaction(app.db, async (trx) => {
      await requireActive(trx, bucket.id);
      await requireUpload(trx, bucket.id, upload, { isLast: true });
      // First, because its condition may fail again and again. The parts have taken their room.
      await replaceObject(trx, bucket, row, condition, { uploadedSince: upload.initiatedAt });
      const stored = await trx
        .selectFrom('object_pieces')
        .select('id')
        .where('content_id', '=', upload.id)
        .execute();
      const wanted = new Set(pieceIds);
      const unwanted = stored.map(({ id }) => id).filter((id) => !wanted.has(id));
      // A part that was replaced since the list was read is not the one that the client listed.
      if (stored.length - unwanted.length !== wanted.size) throw new S3Error('InvalidPart');
      await noteParts(trx, bucket.id, [upload.id], now);
      await giveUpPieces(trx, unwanted, now);
      await trx
        .deleteFrom('object_uploads')
        .where('bucket_id', '=', bucket.id)
        .where('id', '=', upload.id)
        .execute();
    }),
  );
  return toObject(row);
}

/** Aborts an upload with all its parts. Returns whether there was one: it may have been completed at this moment. */
export async function abortUpload(
  app: App,
  bucketId: string,
  upload: Pick<S3Upload, 'key' | 'id'>,
): Promise<boolean> {
  const now = app.clock.now();
  return inTransaction(app.db, (trx) => removeUpload(trx, bucketId, upload, now));
}

/** Does the same unless a part has come since an instant. */
export async function abortIdleUpload(
  app: App,
  bucketId: string,
  upload: Pick<S3Upload, 'key' | 'id'>,
  idleSince: number,
): Promise<boolean> {
  const now = app.clock.now();
  return inTransaction(app.db, async (trx) => {
    await holdBucket(trx, bucketId);
    if (!(await holdUpload(trx, bucketId, upload, { isLast: true }))) return false;
    // While it is held, no other part comes.
    const { lastPartAt } = await findPartSums(trx, upload.id);
    if (lastPartAt !== null && lastPartAt >= idleSince) return false;
    return removeUpload(trx, bucketId, upload, now);
  });
}

/** Aborts an upload inside a transaction. Returns whether there was one. */
export async function removeUpload(
  trx: Trx,
  bucketId: string,
  { key, id }: Pick<S3Upload, 'key' | 'id'>,
  now: number,
): Promise<boolean> {
  await holdBucket(trx, bucketId);
  const { numDeletedRows } = await trx
    .deleteFrom('object_uploads')
    .where('bucket_id', '=', bucketId)
    .where('key', '=', key)
    .where('id', '=', id)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await noteParts(trx, bucketId, [id], now);
  await giveUpContent(trx, id, now);
  return true;
}

/** Keeps the bucket until the transaction ends, before its upload is held: everyone holds both in this order. */
async function holdBucket(trx: Trx, bucketId: string): Promise<void> {
  if (!isPostgres(trx)) return;
  await trx.selectFrom('buckets').select('id').where('id', '=', bucketId).forKeyShare().execute();
}

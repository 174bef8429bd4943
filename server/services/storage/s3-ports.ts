import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { runForAsker } from '#db/asker.ts';
import { FairQueue } from '#server/concurrency/fair-queue.ts';
import { OrganizationQueue } from '#server/concurrency/organization-queue.ts';
import { FairTurns } from '#server/connections/fair-turns.ts';
import type { App } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { isOutage } from '#server/outage.ts';
import type { S3Bucket, S3Piece, S3Ports } from '#server/s3/ports.ts';
import { S3Error } from '#server/s3/s3-error.ts';
import { S3_LIMITS } from '#server/s3/s3-limits.ts';
import { databaseReserve } from '#server/store/watch-disk.ts';
import { AccessCache } from './buckets/access-cache.ts';
import { findBucket, listReachedBuckets } from './buckets/bucket-queries.ts';
import {
  createBucketFor,
  deleteBucketFor,
  setBucketTags,
  setCorsRules,
  setPublicAccessBlock,
  setPublicRead,
} from './buckets/s3-buckets.ts';
import {
  findObject,
  findUpload,
  listObjects,
  listParts,
  listPieces,
  listUploads,
} from './objects/object-queries.ts';
import { receiveSmall } from './objects/receive-small.ts';
import { removeObject, writeObject } from './objects/write-object.ts';
import { ReceivingPace } from './pieces/receiving-pace.ts';
import { withRoom } from './require-room.ts';
import { ROW_CONTENT_BYTES_MAX } from './rules.ts';
import { abortUpload, completeUpload, createUpload, putPart } from './uploads/write-upload.ts';
import { withS3Errors } from './with-s3-errors.ts';

/** How many copies are written at the same time, and how many may wait. */
const COPIES = { atOnce: 6, atOncePerKey: 3, waitingPerKeyMax: 100 };

/**
 * Changes of the database in progress, half of what a commit may hold, and how many wait. Organizations
 * take turns.
 */
const CHANGES = { atOnceMax: 32, waitingMax: 10_000 };
/**
 * Of requests that take thousands of steps, a turn of the event loop begins so many: objects that are deleted, or short
 * pages of lists. With an embedded database, nothing else would have a turn before the last one.
 */
const STEPS_PER_TURN = 8;
const ROWS_OF_STEP = 100;
const FOLDERS_OF_STEP = 25;
/** Rows of pieces that are read together: nearly every object has fewer. */
const PIECES_AT_ONCE = 400;

/** Who looks up access keys: nobody has proved yet to be who they say. */
const STRANGERS = 'strangers';

/**
 * The pieces of a completed object never change, and a browser that plays a video asks for it a hundred times: lists that take longer to
 * read than to serve from are kept, up to some ten megabytes.
 */
const PIECE_LISTS = { lengthMin: 100, piecesMax: 50_000 };

/** What only the process that runs the service has. */
export type S3Process = Pick<S3Ports, 'count' | 'reportFailure'>;

/** Returns the product's implementation of the S3 service's ports, on the database and the store. */
export function createS3Ports(app: App, own: S3Process): S3Ports {
  const { db } = app;
  const { pieces } = app.blobs;
  const reserve = databaseReserve(app.config);
  const accesses = new AccessCache(app);
  const pace = new ReceivingPace(app);
  const copies = new OrganizationQueue(COPIES);
  const changes = new FairQueue(CHANGES);
  const steps = new FairTurns(STEPS_PER_TURN);
  const pieceLists = new LRUCache<string, S3Piece[]>({
    maxSize: PIECE_LISTS.piecesMax,
    sizeCalculation: ({ length }) => length,
  });
  const inStep = <T>({ ownerId }: Pick<S3Bucket, 'ownerId'>, cost: number, work: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const begin = () => {
        runForAsker(ownerId, work).then(resolve, reject);
        return true;
      };
      steps.take(ownerId, begin, cost);
    });
  /** Reads pieces in portions, of which the first begins at once. */
  const readPieces = async (
    bucket: Pick<S3Bucket, 'ownerId'>,
    { after, limit }: { after: number; limit: number },
    read: (after: number, limit: number) => Promise<S3Piece[]>,
  ): Promise<S3Piece[]> => {
    const found = await runForAsker(bucket.ownerId, () => read(after, Math.min(limit, PIECES_AT_ONCE)));
    for (let portion = found; portion.length === PIECES_AT_ONCE && found.length < limit; ) {
      const last = found.at(-1)?.partNumber ?? after;
      const next = () => read(last, Math.min(limit - found.length, PIECES_AT_ONCE));
      portion = await inStep(bucket, PIECES_AT_ONCE / ROWS_OF_STEP, next);
      found.push(...portion);
    }
    return found;
  };
  const asChange = <T>({ ownerId }: Pick<S3Bucket, 'ownerId'>, change: () => Promise<T>): Promise<T> =>
    withS3Errors(() => changes.run(ownerId, () => runForAsker(ownerId, change)));
  /** A change that takes room, which is looked up before it has its turn. */
  const asGrowth = <T>(bucket: S3Bucket, change: () => Promise<T>): Promise<T> =>
    withRoom(app, bucket, () => asChange(bucket, change));
  /** Removes content whose row is refused: kept until strays are looked for, it would be content that no limit counts. */
  const unlessRefused = async <T>(
    { id, content }: Pick<S3Piece, 'id' | 'content'>,
    write: () => Promise<T>,
  ): Promise<T> => {
    try {
      return await write();
    } catch (error) {
      // After any other failure the row may be there.
      if (error instanceof S3Error && content === null) await pieces.remove(id).catch(() => undefined);
      throw error;
    }
  };
  return {
    ...own,
    isOutage,
    findAccess: (accessKeyId) => runForAsker(STRANGERS, () => accesses.find(accessKeyId)),
    findBucket: (name) => findBucket(db, name),
    listBuckets: (access) => listReachedBuckets(db, access),
    async createBucket(access, name, tags) {
      await createBucketFor(app, access, name, tags);
      // The credential now has access to one more bucket.
      accesses.forget(access.accessKeyId);
    },
    deleteBucket: (bucket, access) => deleteBucketFor(app, bucket, access),
    setCorsRules: (bucket, access, rules) => setCorsRules(app, bucket, access, rules),
    setPublicRead: (bucket, access, isPublic) => setPublicRead(app, bucket, access, isPublic),
    setPublicAccessBlock: (bucket, access, block) => setPublicAccessBlock(app, bucket, access, block),
    setBucketTags: (bucket, access, tags) => setBucketTags(app, bucket, access, tags),
    findObject: (bucketId, key) => runForAsker(bucketId, () => findObject(db, bucketId, key)),
    async listPieces(bucket, contentId) {
      const known = pieceLists.get(contentId);
      if (known !== undefined) return known;
      const all = { after: 0, limit: S3_LIMITS.partNumberMax };
      const found = await readPieces(bucket, all, (...portion) => listPieces(db, contentId, ...portion));
      if (found.length >= PIECE_LISTS.lengthMin) pieceLists.set(contentId, found);
      return found;
    },
    openPiece: (id) => pieces.open(id),
    readPiece: (id, part) => pieces.readPart(id, part),
    async receive({ ownerId }, content, announcedBytes) {
      const isSmall = announcedBytes !== null && announcedBytes <= ROW_CONTENT_BYTES_MAX;
      if (!isSmall && announcedBytes !== null) await pace.take(ownerId, announcedBytes);
      const piece = await withS3Errors(async () => {
        if (isSmall) return receiveSmall(content, announcedBytes, reserve);
        const paced = announcedBytes === null ? pace.whileComing(ownerId, content) : content;
        const staged = await pieces.receive(Readable.from(paced, { objectMode: false }), {
          announcedBytes: announcedBytes ?? 0,
          client: ownerId,
        });
        return { ...staged, content: null };
      });
      return { ...piece, keep: () => withS3Errors(() => piece.keep()) };
    },
    inTurn: ({ ownerId }, copy) => withS3Errors(() => copies.run(ownerId, copy)),
    async copyPiece({ id, content }) {
      if (content === null) return { id: await withS3Errors(() => pieces.copy(id)), content };
      await withS3Errors(async () => reserve?.take(content.byteLength));
      return { id: newId(), content };
    },
    putObject: (bucket, object, piece, condition) =>
      unlessRefused(piece, () => asGrowth(bucket, () => writeObject(app, bucket, object, piece, condition))),
    async setTags(bucket, key, tags) {
      const { numUpdatedRows } = await asChange(bucket, () =>
        db
          .updateTable('objects')
          .set({ tags: JSON.stringify(tags) })
          .where('bucket_id', '=', bucket.id)
          .where('key', '=', key)
          .executeTakeFirst(),
      );
      if (numUpdatedRows === 0n) throw new S3Error('NoSuchKey', undefined, { Key: key });
    },
    deleteObject: (bucket, key, condition) =>
      inStep(bucket, 1, () => asChange(bucket, () => removeObject(app, bucket.id, key, condition))),
    listObjects: (bucket, query) =>
      inStep(bucket, Math.ceil(query.limit / (query.delimiter ? FOLDERS_OF_STEP : ROWS_OF_STEP)), () =>
        listObjects(db, bucket.id, query),
      ),
    async createUpload(bucket, access, upload) {
      // The headers that an upload keeps take room of the database, which no limit of an organization counts.
      await withS3Errors(async () => reserve?.requireRoom(0));
      return asGrowth(bucket, () => createUpload(app, bucket, access, upload));
    },
    findUpload: (bucketId, key, id) => runForAsker(bucketId, () => findUpload(db, bucketId, key, id)),
    listUploads: (bucket, query) =>
      inStep(bucket, Math.ceil(query.limit / ROWS_OF_STEP), () => listUploads(db, bucket.id, query)),
    putPart: (bucket, upload, part) =>
      unlessRefused(part, () => asGrowth(bucket, () => putPart(app, bucket, upload, part))),
    listParts: (bucket, uploadId, page) =>
      readPieces(bucket, page, (...portion) => listParts(db, uploadId, ...portion)),
    completeUpload: (bucket, upload, completed, condition) =>
      asChange(bucket, () => completeUpload(app, bucket, upload, completed, condition)),
    async abortUpload(bucket, upload) {
      if (!(await asChange(bucket, () => abortUpload(app, bucket.id, upload))))
        throw new S3Error('NoSuchUpload');
    },
  };
}

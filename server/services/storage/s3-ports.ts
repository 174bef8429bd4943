import { preparedQuery } from '#db/prepared-query.ts';
import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { isOutage } from '#server/outage.ts';
import type { S3Bucket, S3Piece, S3Ports } from '#server/s3/ports.ts';
import { S3Error } from '#server/s3/s3-error.ts';
import { databaseReserve } from '#server/store/watch-disk.ts';
import { OrganizationQueue } from '#server/work/organization-queue.ts';
import { isOverLimit } from '../billing/is-over-limit.ts';
import { AccessCache } from './access-cache.ts';
import { findObject, findUpload, listObjects, listParts, listPieces, listUploads } from './object-queries.ts';
import { readCorsRules, readPublicAccessBlock } from './queries.ts';
import { receiveSmall } from './receive-small.ts';
import { ReceivingPace } from './receiving-pace.ts';
import { ROW_CONTENT_BYTES_MAX } from './rules.ts';
import {
  createBucketFor,
  deleteBucketFor,
  setBucketTags,
  setCorsRules,
  setPublicAccessBlock,
  setPublicRead,
} from './s3-buckets.ts';
import { removeObject, writeObject } from './write-object.ts';
import { abortUpload, completeUpload, createUpload, putPart } from './write-upload.ts';

const selectBucket = preparedQuery((executor, name: string) =>
  executor
    .selectFrom('buckets')
    .innerJoin('organizations', 'organizations.id', 'buckets.organization_id')
    .selectAll('buckets')
    .select('organizations.suspended_at')
    // Looked up for public buckets alone: the clients of others are stopped by their credentials.
    .select((eb) =>
      eb
        .case()
        .when('buckets.public_read', '=', 1)
        .then(isOverLimit('buckets.organization_id', []))
        .end()
        .as('is_over_limit'),
    )
    .where('buckets.name', '=', name)
    .where('buckets.status', '=', 'active')
    .where('organizations.detached_at', 'is', null),
);

/** Copies that are written at the same time, and wait for that. */
const COPIES = { atOnce: 6, atOncePerKey: 3, waitingPerKeyMax: 100 };

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
    findAccess: (accessKeyId) => accesses.find(accessKeyId),
    async findBucket(name) {
      const [row] = await selectBucket(db, name);
      if (row === undefined) return null;
      return toS3Bucket(row, { isStopped: row.suspended_at !== null || Boolean(row.is_over_limit) });
    },
    async listBuckets(access) {
      const rows = await db
        .selectFrom('buckets')
        .selectAll()
        .where('organization_id', '=', access.ownerId)
        .where('status', '=', 'active')
        .orderBy('name')
        .execute();
      const reached = rows.filter(({ id }) => access.mayReach(id, 'read'));
      return reached.map((row) => toS3Bucket(row, { isStopped: false }));
    },
    async createBucket(access, name, tags) {
      await createBucketFor(app, access, name, tags);
      // It reaches one bucket more.
      accesses.forget(access.accessKeyId);
    },
    deleteBucket: (bucket, access) => deleteBucketFor(app, bucket, access),
    setCorsRules: (bucket, access, rules) => setCorsRules(app, bucket, access, rules),
    setPublicRead: (bucket, access, isPublic) => setPublicRead(app, bucket, access, isPublic),
    setPublicAccessBlock: (bucket, access, block) => setPublicAccessBlock(app, bucket, access, block),
    setBucketTags: (bucket, access, tags) => setBucketTags(app, bucket, access, tags),
    findObject: (bucketId, key) => findObject(db, bucketId, key),
    listPieces: (contentId) => listPieces(db, contentId),
    openPiece: (id) => pieces.open(id),
    readPiece: (id, part) => pieces.readPart(id, part),
    async receive({ ownerId }, content, announcedBytes) {
      const isSmall = announcedBytes !== null && announcedBytes <= ROW_CONTENT_BYTES_MAX;
      if (!isSmall && announcedBytes !== null) await pace.take(ownerId, announcedBytes);
      const paced = announcedBytes === null ? pace.whileComing(ownerId, content) : content;
      const piece = await withS3Errors(async () =>
        isSmall
          ? receiveSmall(content, announcedBytes, reserve)
          : { ...(await pieces.receive(paced, { announcedBytes: announcedBytes ?? 0 })), content: null },
      );
      return { ...piece, keep: () => withS3Errors(() => piece.keep()) };
    },
    inTurn: ({ ownerId }, copy) => withS3Errors(() => copies.run(ownerId, copy)),
    async copyPiece({ id, content }) {
      if (content === null) return { id: await withS3Errors(() => pieces.copy(id)), content };
      await withS3Errors(async () => reserve?.take(content.byteLength));
      return { id: newId(), content };
    },
    putObject: (bucket, object, piece, condition) =>
      unlessRefused(piece, () => writeObject(app, bucket, object, piece, condition)),
    async setTags(bucket, key, tags) {
      const { numUpdatedRows } = await db
        .updateTable('objects')
        .set({ tags: JSON.stringify(tags) })
        .where('bucket_id', '=', bucket.id)
        .where('key', '=', key)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new S3Error('NoSuchKey', undefined, { Key: key });
    },
    deleteObject: (bucket, key, condition) => removeObject(app, bucket.id, key, condition),
    listObjects: (bucketId, query) => listObjects(db, bucketId, query),
    async createUpload(bucket, access, upload) {
      // The headers that an upload keeps take room of the database, which no limit of an organization counts.
      await withS3Errors(async () => reserve?.requireRoom(0));
      return createUpload(app, bucket, access, upload);
    },
    findUpload: (bucketId, key, id) => findUpload(db, bucketId, key, id),
    listUploads: (bucketId, query) => listUploads(db, bucketId, query),
    putPart: (bucket, upload, part) => unlessRefused(part, () => putPart(app, bucket, upload, part)),
    listParts: (uploadId, after, limit) => listParts(db, uploadId, after, limit),
    completeUpload: (bucket, upload, completed, condition) =>
      completeUpload(app, bucket, upload, completed, condition),
    async abortUpload(bucket, upload) {
      if (!(await abortUpload(app, bucket.id, upload))) throw new S3Error('NoSuchUpload');
    },
  };
}

function toS3Bucket(
  row: {
    id: string;
    name: string;
    region: string;
    organization_id: string;
    created_at: number;
    cors_rules: string;
    tags: string;
    public_read: number;
    public_access_block: string | null;
  },
  { isStopped }: { isStopped: boolean },
): S3Bucket {
  const isPublic = row.public_read === 1;
  return {
    id: row.id,
    name: row.name,
    region: row.region,
    ownerId: row.organization_id,
    createdAt: row.created_at,
    corsRules: readCorsRules(row.cors_rules),
    tags: JSON.parse(row.tags),
    isPublic,
    publicAccessBlock: readPublicAccessBlock(row.public_access_block),
    isServedToAnyone: isPublic && !isStopped,
  };
}

/** Converts the store's errors to S3's; a rejection of the client's own bytes is passed through unchanged. */
async function withS3Errors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.cause instanceof S3Error) throw error.cause;
    if (error.code === 'upload_interrupted') throw new S3Error('IncompleteBody');
    if (error.code === 'organization_busy') throw new S3Error('SlowDown');
    if (error.code === 'storage_full')
      throw new S3Error('ServiceUnavailable', 'There is no room on the disk at the moment.');
    throw error;
  }
}

import { runForAsker } from '#db/asker.ts';
import type { App } from '#server/context.ts';
import type { S3Ports } from '#server/s3/ports.ts';
import { S3Error } from '#server/s3/s3-error.ts';
import type { DiskReserve } from '#server/store/room/disk-reserve.ts';
import { findUpload, listParts, listUploads } from '../objects/object-queries.ts';
import { unlessRefused } from '../pieces/unless-refused.ts';
import { ROWS_OF_STEP, type S3Turns } from '../s3-turns.ts';
import { withS3Errors } from '../with-s3-errors.ts';
import { abortUpload, completeUpload, createUpload, putPart } from './write-upload.ts';

type UploadPorts = Pick<
  S3Ports,
  'createUpload' | 'findUpload' | 'listUploads' | 'putPart' | 'listParts' | 'completeUpload' | 'abortUpload'
>;

/** Returns the part of the S3 service's ports that is about multipart uploads. */
export function createUploadPorts(
  app: App,
  turns: S3Turns,
  /** Of the disk with the database; null for a separate server. */
  reserve: DiskReserve | null,
): UploadPorts {
  const { db } = app;
  const { inStep, asChange, asGrowth, readPieces } = turns;
  return {
    async createUpload(bucket, access, upload) {
      // The headers that an upload keeps take room of the database, which no limit of an organization counts.
      await withS3Errors(async () => reserve?.requireRoom(0));
      return asGrowth(bucket, () => createUpload(app, bucket, access, upload));
    },
    findUpload: ({ id: bucketId, ownerId }, key, id) =>
      runForAsker(ownerId, () => findUpload(db, bucketId, key, id)),
    listUploads: (bucket, query) =>
      inStep(bucket, Math.ceil(query.limit / ROWS_OF_STEP), () => listUploads(db, bucket.id, query)),
    putPart: (bucket, upload, part) =>
      unlessRefused(app, part, () => asGrowth(bucket, () => putPart(app, bucket, upload, part))),
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

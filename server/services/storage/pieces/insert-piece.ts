import type { Trx } from '#db/client.ts';
import { preparedQuery } from '#db/prepared-query.ts';
import type { NewPiece } from '#server/s3/ports.ts';

const insertRow = preparedQuery(
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

/** Inserts the row of a piece: of an object, or of a part of an upload. */
export async function insertPiece(
  trx: Trx,
  {
    contentId,
    bucketId,
    partNumber,
    now,
  }: { contentId: string; bucketId: string; partNumber: number; now: number },
  { id, size, etag, checksum, content }: NewPiece,
): Promise<void> {
  await insertRow(trx, contentId, partNumber, id, bucketId, size, etag, checksum, now, content);
}

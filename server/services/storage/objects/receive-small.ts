import { newId } from '#server/ids.ts';
import type { ReceivedPiece } from '#server/s3/ports.ts';
import type { DiskReserve } from '#server/store/room/disk-reserve.ts';
import { collectBounded } from '#server/store/spool.ts';

/**
 * Receives a piece that is small enough to be stored in the database, in the row that names it: one sync makes both durable, and they are
 * deleted together. A file would take a whole block of the disk for it.
 * @param reserve of the database's disk; null where the database is a server
 * @throws upload_interrupted when there is more content than announced; storage_full by `keep`
 */
export async function receiveSmall(
  content: AsyncIterable<Uint8Array>,
  announcedBytes: number,
  reserve: DiskReserve | null,
): Promise<ReceivedPiece> {
  const bytes = await collectBounded(content, announcedBytes);
  const size = bytes.byteLength;
  return {
    id: newId(),
    size,
    content: bytes,
    keep: async () => reserve?.take(size),
    discard: async () => undefined,
  };
}

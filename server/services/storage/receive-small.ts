import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { newId } from '#server/ids.ts';
import type { ReceivedPiece } from '#server/s3/ports.ts';
import type { DiskReserve } from '#server/store/disk-reserve.ts';
import { collectBounded } from '#server/store/spool.ts';

/**
 * Receives a piece that is small enough to lie in the database, beside the row that names it: both become durable with one sync, and go
 * together. It takes a file's place for what is smaller than the block that a file would take.
 * @param reserve of the database's disk; null where the database is a server
 * @throws upload_interrupted when there is more content than announced; storage_full by `keep`
 */
export async function receiveSmall(
  content: Readable,
  announcedBytes: number,
  reserve: DiskReserve | null,
): Promise<ReceivedPiece> {
  const bytes = await collectBounded(content, announcedBytes);
  const size = bytes.byteLength;
  return {
    id: newId(),
    size,
    sha256: hash('sha256', bytes),
    content: bytes,
    keep: async () => reserve?.take(size),
    discard: async () => undefined,
  };
}

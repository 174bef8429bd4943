import { finished, Readable } from 'node:stream';
import type { BlobStore } from '#server/store/blob-store.ts';

/**
 * Returns all bytes of a blob as a stream that closes what it opened, or null when the store does not have
 * it.
 */
export async function openBlobStream(blobs: BlobStore, sha256: string): Promise<Readable | null> {
  const handle = await blobs.open(sha256, 'identity');
  if (!handle) return null;
  if (handle.size === 0) {
    await handle.close();
    return Readable.from([], { objectMode: false });
  }
  const stream = handle.stream(0, handle.size - 1);
  finished(stream, () => void handle.close().catch(() => undefined));
  return stream;
}

import { buffer } from 'node:stream/consumers';
import type { BlobStore } from '#server/store/blob-store.ts';
import { openBlobStream } from './open-blob-stream.ts';

/** Returns all bytes of a blob at once, or null when the store does not have it. The caller knows that it is small. */
export async function readWholeBlob(blobs: BlobStore, sha256: string): Promise<Buffer | null> {
  const stream = await openBlobStream(blobs, sha256);
  return stream && buffer(stream);
}

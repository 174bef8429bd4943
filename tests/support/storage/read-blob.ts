import { buffer } from 'node:stream/consumers';
import type { BlobStore } from '#server/store/blob-store.ts';

/** Returns the whole content of a blob as text; null when there is none. */
export async function readBlob(store: BlobStore, sha256: string): Promise<string | null> {
  const handle = await store.open(sha256, 'identity');
  if (!handle) return null;
  const text = String(await buffer(handle.stream(0, handle.size - 1)));
  await handle.close();
  return text;
}

import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isOutage } from '#server/outage.ts';
import type { BlobHandle } from '#server/store/blob-store.ts';

/** After this many bytes, other work gets the disk for a moment. */
const STRETCH_BYTES = 8 * 1024 ** 2;
const STRETCH_PAUSE_MS = 200;

/** What stored content has to be. */
export interface IntactContent {
  size: number;
  algorithm: 'md5' | 'sha256';
  /** Hex. */
  digest: string;
}

/**
 * Reads stored content, slowly. Returns what is wrong with it, or null.
 * @throws when the store cannot be read
 */
export async function findDamage(
  handle: BlobHandle | null,
  { size, algorithm, digest }: IntactContent,
  stopping: AbortSignal,
): Promise<string | null> {
  if (handle === null) return 'stored content is missing';
  try {
    const hash = createHash(algorithm);
    let read = 0;
    let stretch = 0;
    if (size > 0) {
      for await (const bytes of handle.stream(0, size - 1) as AsyncIterable<Buffer>) {
        if (stopping.aborted) return null;
        hash.update(bytes);
        read += bytes.byteLength;
        stretch += bytes.byteLength;
        if (stretch < STRETCH_BYTES) continue;
        stretch = 0;
        await pause(STRETCH_PAUSE_MS);
      }
    }
    if (read !== size) return `stored content is cut after ${read} of ${size} bytes`;
    return hash.digest('hex') === digest ? null : 'stored content has changed';
  } catch (error) {
    // A missing disk is an outage; an unreadable sector is what this looks for.
    if (isOutage(error)) throw error;
    return `stored content cannot be read (${error instanceof Error ? error.message : String(error)})`;
  } finally {
    await handle.close();
  }
}

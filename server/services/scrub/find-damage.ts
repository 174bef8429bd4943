import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { isNodeError } from '#server/errors.ts';
import { isOutage } from '#server/outage.ts';
import type { BlobHandle, BlobStore } from '#server/store/blob-store.ts';

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

/** What a disk answers for a file with a bad sector or foreign rights, and for every file when the disk itself fails. */
const FILE_CODES: ReadonlySet<string> = new Set(['EIO', 'EACCES', 'EPERM']);

/**
 * Reads stored content, slowly. Returns the damage in words, or null.
 * @param store where it lies
 * @throws when the store cannot be read
 */
export async function findDamage(
  store: Pick<BlobStore, 'check'>,
  open: () => Promise<BlobHandle | null>,
  content: IntactContent,
  stopping: AbortSignal,
): Promise<string | null> {
  try {
    const handle = await open();
    return handle === null ? 'stored content is missing' : await compare(handle, content, stopping);
  } catch (error) {
    // A missing disk is an outage; an unreadable sector is what this looks for.
    if (isOutage(error) && !(await isOfFileAlone(error, store))) throw error;
    return `stored content cannot be read (${error instanceof Error ? error.message : String(error)})`;
  }
}

async function isOfFileAlone(error: unknown, store: Pick<BlobStore, 'check'>): Promise<boolean> {
  if (!isNodeError(error) || !FILE_CODES.has(error.code ?? '')) return false;
  return store.check().then(
    () => true,
    () => false,
  );
}

async function compare(
  handle: BlobHandle,
  { size, algorithm, digest }: IntactContent,
  stopping: AbortSignal,
): Promise<string | null> {
  try {
    const hash = createHash(algorithm);
    const read = size === 0 ? 0 : await readInto(hash, handle.stream(0, size - 1), stopping);
    if (read === null) return null;
    if (read !== size) return `stored content is cut after ${read} of ${size} bytes`;
    return hash.digest('hex') === digest ? null : 'stored content has changed';
  } finally {
    await handle.close();
  }
}

/** Reads in stretches with pauses between them, and returns the number of bytes; null when it is to stop. */
async function readInto(hash: Hash, content: Readable, stopping: AbortSignal): Promise<number | null> {
  let read = 0;
  let stretch = 0;
  for await (const bytes of content as AsyncIterable<Buffer>) {
    if (stopping.aborted) return null;
    hash.update(bytes);
    read += bytes.byteLength;
    stretch += bytes.byteLength;
    if (stretch < STRETCH_BYTES) continue;
    stretch = 0;
    await pause(STRETCH_PAUSE_MS);
  }
  return read;
}

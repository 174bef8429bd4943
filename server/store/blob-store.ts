import type { Readable } from 'node:stream';
import type { PieceStore } from './piece-store.ts';

/** Encodings stored in addition to the identity bytes of a blob. */
export type BlobEncoding = 'identity' | 'br' | 'gzip';

/** Random access to one stored blob; `close` must be called. */
export interface BlobHandle {
  readonly size: number;
  /** True when `read` is a cheap local call; otherwise long transfers use `stream`. */
  readonly isLocal: boolean;
  /** Fills `target` from `position`; returns the bytes read, 0 at the end. */
  read(target: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  /** Bytes `start` to `end` inclusive, with back-pressure. */
  stream(start: number, end: number): Readable;
  close(): Promise<void>;
}

/**
 * Bytes received into a temporary place, hashed, not yet visible. Exactly one of `store` and `discard` ends
 * it.
 */
export interface StagedBlob {
  /** The temporary file on this machine, until `store` or `discard`. */
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
  /**
   * Makes the bytes visible under their hash, once; durable after the next `settle`.
   * @throws storage_full
   */
  store(): Promise<void>;
  /** Discards the bytes; allowed after `store`. */
  discard(): Promise<void>;
}

/** The file name of a stored blob, with the time it was written. */
export interface StoredBlob {
  sha256: string;
  storedAt: number;
}

/** What `put` verifies, and whether it may leave the last step of durability to `settle`. */
export interface ExpectedContent {
  size: number | null;
  /** For many small files: their folders are synced once, by `settle`. */
  isDeferred?: boolean;
  /** Whose it is: clients with many small files take turns. */
  client?: string;
}

/** Content by SHA-256: a directory or any S3 engine. What `put` acknowledged survives a crash. */
export interface BlobStore {
  /** Content of buckets, in the same place. */
  readonly pieces: PieceStore;
  /**
   * Stores bytes under a hash that `put` verifies while streaming (encodings are made by us and not
   * verified).
   * @throws hash_mismatch or size_mismatch before anything becomes visible; storage_full when the disk is
   * full; upload_interrupted when the content ends with an error
   */
  put(
    sha256: string,
    encoding: BlobEncoding,
    content: Readable | Buffer,
    expected: ExpectedContent,
  ): Promise<void>;
  /** Makes everything that was put with `isDeferred` before this call survive a crash. */
  settle(): Promise<void>;
  /**
   * Receives bytes whose hash is not known yet.
   * @throws limit_file_bytes above `sizeMax`, storage_full, upload_interrupted; nothing is left behind then
   */
  stage(content: Readable | Buffer, options: { sizeMax: number }): Promise<StagedBlob>;
  has(sha256: string, encoding: BlobEncoding): Promise<boolean>;
  open(sha256: string, encoding: BlobEncoding): Promise<BlobHandle | null>;
  /** Removes the blob in every encoding; unknown hashes are ignored. */
  remove(sha256: string): Promise<void>;
  /** Every blob in the store, to find those without a row. */
  list(): AsyncIterable<StoredBlob>;
  /** Removes temporary files that no upload can still be writing. */
  cleanUp(): Promise<void>;
  /** @throws when the store cannot be written to: for /readyz */
  check(): Promise<void>;
}

const SUFFIX: Record<BlobEncoding, string> = { identity: '', br: '.br', gzip: '.gz' };

/**
 * The folders of a store, by the first digit of the hash: few, so that many files share the sync of one
 * folder.
 */
export const BLOB_FOLDERS = [...'0123456789abcdef'];

/** Returns the path of a blob below the root of a store: its folder, then the whole hash. */
export function blobName(sha256: string, encoding: BlobEncoding): string {
  return `${sha256.slice(0, 1)}/${sha256}${SUFFIX[encoding]}`;
}

/** Returns the hash in the last part of a blob's name in any encoding, or null for anything else. */
export function hashOfBlobName(name: string): string | null {
  return /(?:^|\/)([0-9a-f]{64})(?:\.br|\.gz)?$/.exec(name)?.[1] ?? null;
}

import type { Readable } from 'node:stream';

/** Encodings kept beside the identity bytes of a blob. */
export type BlobEncoding = 'identity' | 'br' | 'gzip';

/** Random access to one stored blob; `close` must be called. */
export interface BlobHandle {
  size: number;
  /** Fills `target` from `position`; returns the bytes read. */
  read(target: Buffer, offset: number, length: number, position: number): Promise<number>;
  /** Bytes `start` to `end` inclusive, with back-pressure. */
  stream(start: number, end: number): Readable;
  close(): Promise<void>;
}

/** Content by SHA-256: a directory or any S3 engine. What `put` acknowledged survives a crash. */
export interface BlobStore {
  /**
   * Stores bytes under a hash that the caller has verified or that `expected` verifies while streaming.
   * @throws hash_mismatch or size_mismatch before anything becomes visible; storage_full when the disk is full
   */
  put(sha256: string, encoding: BlobEncoding, content: Readable | Buffer, expected: { size: number | null }): Promise<void>;
  has(sha256: string, encoding: BlobEncoding): Promise<boolean>;
  open(sha256: string, encoding: BlobEncoding): Promise<BlobHandle | null>;
  /** Removes the blob in every encoding; unknown hashes are fine. */
  remove(sha256: string): Promise<void>;
  /** @throws when the store cannot be written to: for /readyz */
  check(): Promise<void>;
}

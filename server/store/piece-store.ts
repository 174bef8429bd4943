import type { Readable } from 'node:stream';
import type { BlobHandle } from './blob-store.ts';

/** Bytes received into a temporary place, hashed. Exactly one of `keep` and `discard` ends it. */
export interface StagedPiece {
  readonly id: string;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
  /** Makes the bytes survive a crash under their id. @throws storage_full */
  keep(): Promise<void>;
  /** Forgets the bytes; what was kept stays until it is removed. */
  discard(): Promise<void>;
}

/** Content that is stored once under an id of its own and never changes: objects of buckets, and parts of them. */
export interface PieceStore {
  /**
   * @param announcedBytes refused before any of it is read where there is no room for so much
   * @param id of a piece that is brought back; a new one unless given
   * @throws storage_full, upload_interrupted
   */
  receive(content: Readable, options: { announcedBytes: number; id?: string }): Promise<StagedPiece>;
  open(id: string): Promise<BlobHandle | null>;
  /** Stores the same bytes under a new id, durably, and returns that. */
  copy(id: string): Promise<string>;
  /** Unknown ids are fine. */
  remove(id: string): Promise<void>;
  /** Every piece in the store, for finding those that no row knows. Times are epoch milliseconds. */
  list(): AsyncIterable<{ id: string; storedAt: number }>;
}

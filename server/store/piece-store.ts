import type { Readable } from 'node:stream';
import type { BlobHandle } from './blob-store.ts';

/** Bytes received into a temporary place. Exactly one of `keep` and `discard` ends it. */
export interface StagedPiece {
  readonly id: string;
  readonly size: number;
  /**
   * Makes the bytes survive a crash under their id.
   * @throws storage_full
   */
  keep(): Promise<void>;
  /** Discards the bytes; what was kept stays until it is removed. */
  discard(): Promise<void>;
}

/** Content that is stored once under its own id and never changes: objects of buckets, and parts of them. */
export interface PieceStore {
  /**
   * @param announcedBytes rejected before any of it is read when there is no room for this much
   * @param id of a restored piece; a new one by default
   * @param client whose it is: clients with many small pieces take turns
   * @throws storage_full, upload_interrupted
   */
  receive(
    content: Readable,
    options: { announcedBytes: number; id?: string; client?: string },
  ): Promise<StagedPiece>;
  open(id: string): Promise<BlobHandle | null>;
  /** Returns a part of a piece that is small enough to be held in memory, or null where there is no such piece. */
  readPart(id: string, part: { start: number; length: number }): Promise<Buffer | null>;
  /** Stores the same bytes under a new id, durably, and returns that. */
  copy(id: string): Promise<string>;
  /** Unknown ids are ignored. */
  remove(id: string): Promise<void>;
  /** Every piece in the store, to find those without a row. Times are epoch milliseconds. */
  list(): AsyncIterable<{ id: string; storedAt: number }>;
}

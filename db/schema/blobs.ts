/** Content stored once by hash for the whole installation. A row exists only after the bytes are durable. */
export interface BlobsTable {
  sha256: string;
  size: number;
  /** Bytes of the brotli encoding; null when none is kept. */
  brotli_size: number | null;
  gzip_size: number | null;
  /** When encodings were made (or found not to be worth keeping); null before. */
  encoded_at: number | null;
  created_at: number;
  /** Last time an upload or a manifest named it; young blobs are never collected. */
  touched_at: number;
  /**
   * Set while the collector is removing the bytes: nobody may rely on them, no organization has them any more. An upload
   * of the same content clears it (register-blobs.ts).
   */
  condemned_at: number | null;
}

/**
 * Content stored once by hash for the whole installation. A row is written only after the bytes are durable;
 * an organization may only rely on its row in `organization_blobs`.
 */
export interface BlobsTable {
  sha256: string;
  size: number;
  created_at: number;
  /** Last time an upload or a manifest referenced it; young blobs are never collected. */
  touched_at: number;
  /**
   * Set once nothing references the content: no one may rely on the bytes, no organization has them. An
   * upload of the same content clears it (register-blobs.ts), unless the bytes are being removed.
   */
  condemned_at: number | null;
  /**
   * A collector's claim: until `REMOVAL_CLAIM_MS` later it may be removing the bytes, and nothing clears
   * `condemned_at` (collect-garbage.ts).
   */
  removal_started_at: number | null;
}

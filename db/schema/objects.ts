/**
 * The object under a key. A row is written only after its content is durable; overwriting changes
 * `content_id`.
 */
export interface ObjectsTable {
  bucket_id: string;
  /** Up to 1,024 bytes of UTF-8; keys are listed in byte order. */
  key: string;
  /** Names its pieces; for a multipart upload, the upload's id. */
  content_id: string;
  size: number;
  /** Without quotes. */
  etag: string;
  /** JSON object: content-type and other headers that are returned as sent. */
  headers: string;
  /** JSON object: user metadata without `x-amz-meta-`. */
  metadata: string;
  /** JSON list of pairs. */
  tags: string;
  checksum_algorithm: string | null;
  checksum_type: string | null;
  checksum: string | null;
  /** Null for a single-piece upload. */
  part_count: number | null;
  modified_at: number;
}

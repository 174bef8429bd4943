/**
 * Stored content of an object, or of a part of an upload. The bytes are durable before the row is written.
 */
export interface ObjectPiecesTable {
  /** Of the object, or of the upload that it belongs to. */
  content_id: string;
  /** 1 for a single-piece upload; completed multipart uploads keep their part numbers. */
  part_number: number;
  /** Its name in the store, where `content` is null. */
  id: string;
  bucket_id: string;
  size: number;
  /** MD5 in hex. */
  etag: string;
  checksum: string | null;
  created_at: number;
  /** The bytes themselves of a small piece, which has no place in the store. */
  content: Uint8Array | null;
}

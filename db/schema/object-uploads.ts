/** A multipart upload that has not been completed. */
export interface ObjectUploadsTable {
  bucket_id: string;
  key: string;
  id: string;
  /** JSON, as in objects. */
  headers: string;
  metadata: string;
  tags: string;
  checksum_algorithm: string | null;
  checksum_type: string | null;
  created_at: number;
}

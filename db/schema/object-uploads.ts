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
  /** Who began it; null for an upload from before this was recorded. */
  initiator_kind: 'person' | 'credential' | null;
  /** The id of the person or the credential. */
  initiator_id: string | null;
  /** The credential's name, since it may have been deleted; a person's name is looked up. */
  initiator_name: string | null;
  created_at: number;
}

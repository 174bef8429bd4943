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
  /** Who began it; null of one from before that was noted. */
  initiator_kind: 'person' | 'credential' | null;
  /** The id of the person or the credential. */
  initiator_id: string | null;
  /** Of a credential, which may have been deleted since; a person's is looked up. */
  initiator_name: string | null;
  created_at: number;
}

/** A bucket in which a job abandons the uploads that have received nothing since an instant. */
export interface UploadAbandonmentsTable {
  bucket_id: string;
  requested_at: number;
  /** Uploads that began, or received a part, after this are kept. */
  idle_since: number;
  /** How many uploads there were to abandon at that time. */
  upload_total: number;
}

/** A bucket in which a job abandons the uploads of which nothing has come since an instant. */
export interface UploadAbandonmentsTable {
  bucket_id: string;
  requested_at: number;
  /** An upload that began later, or of which a part came later, goes on. */
  idle_since: number;
  /** How many uploads there were to abandon at that time. */
  upload_total: number;
}

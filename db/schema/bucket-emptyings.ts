/** A bucket that a job empties of everything stored before an instant. */
export interface BucketEmptyingsTable {
  bucket_id: string;
  /** What was stored later is kept. */
  requested_at: number;
  /** How many objects there were to remove at that time. */
  object_total: number;
  removed_objects: number;
  /** Keys up to this one are done. */
  after_key: string;
}

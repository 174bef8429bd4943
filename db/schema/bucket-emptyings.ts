/** A bucket that a job empties of everything that was stored before an instant. */
export interface BucketEmptyingsTable {
  bucket_id: string;
  /** What was stored later stays. */
  requested_at: number;
  /** How many objects there were then, of those that are removed by it. */
  object_total: number;
  removed_objects: number;
  /** Keys up to this one have been looked at. */
  after_key: string;
}

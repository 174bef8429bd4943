/**
 * How a write changed the sums of its bucket. Rows are added instead of updating sums, so that writes to a
 * bucket do not wait for one another; a job folds them.
 */
export interface BucketChangesTable {
  id: string;
  bucket_id: string;
  /** Change in the number of objects, may be negative. */
  objects: number;
  bytes: number;
  changed_at: number;
}

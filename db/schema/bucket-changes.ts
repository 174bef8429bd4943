/**
 * What a write did to the sums of its bucket. Rows are added and not sums changed, so that writes of a bucket do not wait for
 * one another; a job folds them.
 */
export interface BucketChangesTable {
  id: string;
  bucket_id: string;
  /** How many objects more, or less. */
  objects: number;
  bytes: number;
  changed_at: number;
}

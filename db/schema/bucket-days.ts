/** What a bucket held and moved on a day (UTC); outlives the bucket, for statistics. */
export interface BucketDaysTable {
  bucket_id: string;
  /** Epoch milliseconds of its beginning. */
  day: number;
  organization_id: string;
  bucket_name: string;
  /** Bytes times the hours for which they were stored. */
  byte_hours: number;
  requests: number;
  /** Of content, as it was sent. */
  bytes_received: number;
  bytes_sent: number;
  /** Answered with a refusal or a failure: in none of the others. */
  refused_requests: number;
}

/** What a bucket stored and transferred on a day (UTC); outlives the bucket, for statistics. */
export interface BucketDaysTable {
  bucket_id: string;
  /** Start of the day, in epoch milliseconds. */
  day: number;
  organization_id: string;
  bucket_name: string;
  /** Bytes multiplied by the hours for which they were stored. */
  byte_hours: number;
  requests: number;
  /** Of content, as sent. */
  bytes_received: number;
  bytes_sent: number;
  /** Refused or failed requests: not included in the other columns. */
  refused_requests: number;
}

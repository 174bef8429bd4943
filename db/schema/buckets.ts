export interface BucketsTable {
  id: string;
  organization_id: string;
  /** Unique for the installation: part of its address. */
  name: string;
  region: string;
  /** Decided in server/services/storage/rules.ts. */
  status: 'pending' | 'creating' | 'active' | 'deleting' | 'error';
  /** What the store said when it could not be made ready; null otherwise. */
  status_reason: string | null;
  /** JSON list of CORS rules with the field names of S3; empty when CORS is off. */
  cors_rules: string;
  /** Sums of what bucket_changes has been folded into; later changes come on top. */
  object_count: number;
  stored_bytes: number;
  /** Until when the sums stand in bucket_days. */
  measured_until: number;
  created_at: number;
  updated_at: number;
}

import type { Generated } from 'kysely';

export interface BucketsTable {
  id: string;
  organization_id: string;
  /** Unique in the installation: part of its address. */
  name: string;
  region: string;
  /** Decided in server/services/storage/rules.ts. */
  status: 'pending' | 'creating' | 'active' | 'deleting' | 'error';
  /** The store's error when it could not be prepared; null otherwise. */
  status_reason: string | null;
  /** JSON list of CORS rules with the field names of S3; empty when CORS is off. */
  cors_rules: string;
  /** JSON list of pairs. */
  tags: Generated<string>;
  /** 1: anyone may read its objects. */
  public_read: Generated<number>;
  /** JSON of a PublicAccessBlock of server/s3/ports.ts; null: none is set. */
  public_access_block: Generated<string | null>;
  /** Sums of the folded bucket_changes; later changes are added on top. */
  object_count: number;
  stored_bytes: number;
  /** Until when the sums are recorded in bucket_days. */
  measured_until: number;
  created_at: number;
  updated_at: number;
}

import type { Generated } from 'kysely';

export interface CredentialsTable {
  id: string;
  organization_id: string;
  name: string;
  description: string | null;
  public_key: string;
  /**
   * The secret key, sealed under MASTER_KEY with the row id as associated data (SigV4 needs the secret
   * itself).
   */
  secret_sealed: string;
  is_active: number;
  created_by: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  /** For a short-lived credential: the publisher it was opened for. Others are created by people. */
  publisher_id: Generated<string | null>;
  /** 0 when it may only deploy previews. */
  may_publish: Generated<number>;
  /** 1 where it may create buckets, and delete those that it reaches. */
  may_create_buckets: Generated<number>;
}

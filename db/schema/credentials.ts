import type { Generated } from 'kysely';

export interface CredentialsTable {
  id: string;
  organization_id: string;
  name: string;
  description: string | null;
  public_key: string;
  /** The secret key, sealed under MASTER_KEY with the row id as associated data (SigV4 needs the secret itself). */
  secret_sealed: string;
  is_active: number;
  created_by: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  /** Of a credential of minutes: for whom it was opened. Others are made by people. */
  publisher_id: Generated<string | null>;
  /** 0 where it deploys previews only. */
  may_publish: Generated<number>;
}

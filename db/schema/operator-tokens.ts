/** A token of an operator of this installation. Created and revoked by the operator command. */
export interface OperatorTokensTable {
  id: string;
  name: string;
  /** SHA-256 of the token. */
  token_hash: string;
  /** `read` only reads, `manage` also changes. */
  access: 'read' | 'manage';
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  revoked_at: number | null;
}

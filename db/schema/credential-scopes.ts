export interface CredentialScopesTable {
  credential_id: string;
  resource_type: 'site' | 'bucket';
  resource_id: string;
  /** JSON list: ["read", "write"]. */
  permissions: string;
}

/** The state of the embedded OpenID provider (oidc-provider's adapter): sessions, codes, grants, tokens, interactions. */
export interface IdentityPayloadsTable {
  model: string;
  id: string;
  payload: string;
  grant_id: string | null;
  uid: string | null;
  user_code: string | null;
  consumed_at: number | null;
  expires_at: number | null;
}

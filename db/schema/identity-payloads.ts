/** The state of the embedded OpenID provider (oidc-provider's adapter): sessions, codes, grants, tokens, interactions. */
export interface IdentityPayloadsTable {
  model: string;
  id: string;
  payload: string;
  grant_id: string | null;
  /** Of a session or sign-in itself; of a code or token, the session it came through. */
  uid: string | null;
  /** Whose it is, as only the holder of the master key can tell. */
  account_key: string | null;
  user_code: string | null;
  consumed_at: number | null;
  expires_at: number | null;
}

/**
 * The state of the embedded OpenID provider (oidc-provider's adapter): sessions, codes, grants, tokens,
 * interactions.
 */
export interface IdentityPayloadsTable {
  model: string;
  id: string;
  payload: string;
  grant_id: string | null;
  /** For a session or sign-in, its own uid; for a code or token, that of the session it came from. */
  uid: string | null;
  /** The account, as a value that only the holder of the master key can resolve. */
  account_key: string | null;
  user_code: string | null;
  consumed_at: number | null;
  expires_at: number | null;
}

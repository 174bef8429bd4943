/**
 * A browser session. `id` is the SHA-256 of the cookie's value, so a copy of the table cannot be used to sign
 * in.
 */
export interface SessionsTable {
  id: string;
  user_id: string;
  /** The stored organization context, used when an address names none. */
  organization_id: string | null;
  expires_at: number;
  absolute_expires_at: number;
  created_at: number;
  last_used_at: number;
  address: string;
  user_agent: string;
  /** `sid` of the identity service, for back-channel logout. */
  identity_session: string | null;
}

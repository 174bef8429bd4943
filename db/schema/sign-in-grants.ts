/**
 * What an external issuer granted at sign-in: the sealed tokens with which a person's memberships are
 * fetched.
 */
export interface SignInGrantsTable {
  user_id: string;
  access_token_sealed: string;
  refresh_token_sealed: string | null;
  access_expires_at: number | null;
  /**
   * Where the issuer puts the `groups` claim for this person; null when it provides none, and for a code
   * host.
   */
  groups_source: 'id_token' | 'userinfo' | null;
  updated_at: number;
}

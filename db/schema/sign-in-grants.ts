/** What an external issuer granted at sign-in: the tokens, sealed, with which a person's memberships are asked for. */
export interface SignInGrantsTable {
  user_id: string;
  access_token_sealed: string;
  refresh_token_sealed: string | null;
  access_expires_at: number | null;
  /** Where the issuer puts the `groups` claim for this person; null where it has put none, and for a code host. */
  groups_source: 'id_token' | 'userinfo' | null;
  updated_at: number;
}

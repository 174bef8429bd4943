/** An identity token that was exchanged: it is not taken again. */
export interface UsedIdentityTokensTable {
  /** SHA-256 of the token, in base64url. */
  token_hash: string;
  /** Nobody takes it any more after that. */
  expires_at: number;
}

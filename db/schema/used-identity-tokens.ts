/** An identity token that was exchanged: it is not accepted again. */
export interface UsedIdentityTokensTable {
  /** SHA-256 of the token, in base64url. */
  token_hash: string;
  /** The token has expired by then. */
  expires_at: number;
}

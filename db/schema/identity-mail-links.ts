/** A link sent by email that proves who reads an address: usable once, until it expires. */
export interface IdentityMailLinksTable {
  /** SHA-256 of the token in the link. */
  token_hash: string;
  account_number: number;
  purpose: 'reset_password' | 'verify_email';
  /** The address it was sent to. */
  email: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

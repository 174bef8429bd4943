/** A passkey of an account at the embedded identity service (WebAuthn). */
export interface IdentityPasskeysTable {
  /** The authenticator's id for it, in base64url. */
  credential_id: string;
  account_number: number;
  /** The owner's name for it. */
  name: string;
  /** A COSE key, in base64url. */
  public_key: string;
  /** How many times it was used, as it reports; stays 0 when it does not count. */
  counter: number;
  /** Space-separated: how a browser may reach it, e.g. `usb`. */
  transports: string;
  created_at: number;
  last_used_at: number | null;
}

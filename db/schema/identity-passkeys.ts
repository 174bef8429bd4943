/** A passkey of an account at the embedded identity service (WebAuthn). */
export interface IdentityPasskeysTable {
  /** As the authenticator named it, in base64url. */
  credential_id: string;
  account_number: number;
  /** What its owner calls it. */
  name: string;
  /** A COSE key, in base64url. */
  public_key: string;
  /** How many times it was used, as it says; stays 0 where it does not count. */
  counter: number;
  /** Separated by spaces: how a browser may reach it, e.g. `usb`. */
  transports: string;
  created_at: number;
  last_used_at: number | null;
}

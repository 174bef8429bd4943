import type { Generated } from 'kysely';

/** The secret of an account's authenticator app (RFC 6238). No code is required until it is confirmed. */
export interface IdentityTotpTable {
  account_number: number;
  secret_sealed: string;
  created_at: number;
  confirmed_at: number | null;
  /** The newest time step whose code was accepted: neither it nor an older one is accepted again. */
  last_step: Generated<number>;
}

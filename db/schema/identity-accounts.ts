import type { Generated } from 'kysely';

/** An account of the embedded identity service. External ids are made of `number`, its numeric id. */
export interface IdentityAccountsTable {
  number: Generated<number>;
  email: string;
  /** Lower-cased email address and login, unique. */
  email_key: string;
  login: string;
  login_key: string;
  full_name: string;
  password_hash: string;
  avatar_url: string | null;
  language: string | null;
  /** Set once a link sent to the address was opened; a new address starts unverified. */
  email_verified_at: number | null;
  /** Set while an operator has blocked the owner, with the reason for operators. */
  blocked_at: Generated<number | null>;
  blocked_reason: Generated<string | null>;
  /** 1 for an account that was admitted by the domain of its address, until a link sent there was opened. */
  awaits_verification: Generated<number>;
  /** The invitation with which the account was created; each allows one account. */
  invitation_id: Generated<string | null>;
  created_at: number;
  updated_at: number;
}

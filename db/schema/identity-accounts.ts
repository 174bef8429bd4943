import type { Generated } from 'kysely';

/** An account of the embedded identity service. `number` is the numeric id that external ids are made of. */
export interface IdentityAccountsTable {
  number: Generated<number>;
  email: string;
  /** Lower-cased e-mail and login, unique. */
  email_key: string;
  login: string;
  login_key: string;
  full_name: string;
  password_hash: string;
  avatar_url: string | null;
  language: string | null;
  /** Set once a link sent to the address was opened; a new address begins unverified. */
  email_verified_at: number | null;
  created_at: number;
  updated_at: number;
}

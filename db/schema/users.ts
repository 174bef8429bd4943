import type { Generated } from 'kysely';

/** A person known to this installation, mirrored from the identity service at sign-in. */
export interface UsersTable {
  id: string;
  /** Issuer of the identity service; with `subject` it identifies the account permanently. */
  issuer: string;
  subject: string;
  login: string;
  full_name: string;
  email: string;
  avatar_url: string | null;
  language_preference: 'en-CA' | 'fr-CA' | null;
  /**
   * When the memberships at an external issuer were last known, and last requested. Null: never, or accounts
   * managed here.
   */
  memberships_synced_at: number | null;
  memberships_attempted_at: number | null;
  /** Set while an operator has blocked the person, with the reason for operators. */
  blocked_at: Generated<number | null>;
  blocked_reason: Generated<string | null>;
  /** What the person may do as an operator in the console; null for everyone else. */
  operator_access: Generated<'read' | 'manage' | null>;
  created_at: number;
  updated_at: number;
}

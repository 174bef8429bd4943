import type { Permission } from '#server/services/organizations/rules.ts';

/** An invitation: usable once, by anyone who has its link, until it expires or is revoked. */
export interface OrganizationInvitationsTable {
  id: string;
  organization_id: string;
  /** SHA-256 of the token in the link. */
  token_hash: string;
  /** The token, sealed, so that the link can be copied again. */
  token_sealed: string;
  /** Whom it is for, and where it is sent if email is configured; null for a link that is shared by hand. */
  email: string | null;
  permission: Permission;
  /** The inviter's login at that time. */
  invited_by: string;
  /** The inviter's user id. An invitation works as long as the inviter could still grant its permission. */
  invited_by_id: string;
  created_at: number;
  expires_at: number;
  accepted_at: number | null;
  /** A user's id. */
  accepted_by: string | null;
  revoked_at: number | null;
}

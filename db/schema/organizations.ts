import type { Generated } from 'kysely';

/**
 * A tenant: a personal workspace or a named organization. `external_id` is `personal-{n}` or `org-{n}`, never
 * a name.
 */
export interface OrganizationsTable {
  id: string;
  external_id: string;
  /**
   * Who manages a named organization: `embedded`, or the address of another issuer. Null for a personal
   * workspace.
   */
  issuer: string | null;
  /** Its permanent name at the issuer: a numeric id, or the group's name. Null for a personal workspace. */
  upstream_id: string | null;
  /** The name in addresses; it may change. Null for a personal workspace. */
  handle: string | null;
  name: string;
  description: string | null;
  website: string | null;
  location: string | null;
  avatar_url: string | null;
  /** JSON list of feature names, e.g. ["object_storage"]. */
  features: string;
  /** JSON: the limits that an operator has set for it, by name; the others are the installation's. */
  limits: Generated<string>;
  /** Set by an operator: nothing can be changed and nothing is served. */
  suspended_at: number | null;
  suspension_reason: string | null;
  /** Set when it has no members left: the issuer reports none, or its owner deleted it. The row is kept. */
  detached_at: number | null;
  created_at: number;
  updated_at: number;
}

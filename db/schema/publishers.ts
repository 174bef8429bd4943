/** A repository at a code host whose automation may deploy to a site without a stored secret. */
export interface PublishersTable {
  id: string;
  organization_id: string;
  site_id: string;
  /** Who signs the identity tokens of the code host's automation. */
  issuer: string;
  /** As people write it, and in lower case. */
  repository: string;
  repository_key: string;
  /**
   * The code host's own id for it, once seen: another repository that takes over a deleted one's name has
   * another id.
   */
  repository_id: string | null;
  /** `refs/heads/main`, a prefix followed by `*`, or `*`. */
  ref: string;
  /** The deployment environment that the run must use; null for any or none. */
  environment: string | null;
  may_publish: number;
  created_by: string;
  created_at: number;
  last_used_at: number | null;
}

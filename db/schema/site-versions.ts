import type { Generated } from 'kysely';

export interface SiteVersionsTable {
  id: string;
  organization_id: string;
  site_id: string;
  /** 1, 2, 3… within the site, in the order of opening. "Newer" means a higher number. */
  number: number;
  message: string | null;
  /** Where it was created: console, cli, api, action… */
  source: string;
  /** Who created it, as displayed: a login or a credential's name. */
  created_by: string;
  created_at: number;
  /** Last upload, so that an abandoned one can be told apart from a slow one. */
  touched_at: number;
  sealed_at: number | null;
  reverted_at: number | null;
  /** First time it became the current version. */
  published_at: number | null;
  /** When another version last replaced it; its fingerprinted files stay reachable for the grace period. */
  replaced_at: number | null;
  /** Set when the site's policy removed it: it is shown nowhere, and its rows are deleted in batches. */
  removed_at: Generated<number | null>;
  file_count: number;
  total_bytes: number;
  /** The content of `_redirects` and `_headers`, in `rule_sets`; null without any rules. */
  rules_sha256: Generated<string | null>;
  /** JSON: the deploy report of the seal (added, changed, removed, bytes, problems). */
  report: string | null;
  /** When the last encoded copy of its files was made; null before. */
  encoded_at: Generated<number | null>;
  /** How far copies have been made (encoding-progress.ts). */
  encoded_through: Generated<string>;
  /** Set while an operator has suspended it, with the reason; the organization is told. */
  suspended_at: Generated<number | null>;
  suspension_reason: Generated<string | null>;
}

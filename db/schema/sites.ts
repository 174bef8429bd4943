import type { Generated } from 'kysely';

export interface SitesTable {
  id: string;
  organization_id: string;
  /** As typed by the person; shown, never used as an address. */
  name: string;
  /** The name without case and accents: lists are sorted and searched by it. */
  name_key: string;
  /** The sanitized name: first label of the platform hostname, unique while the row exists. */
  subdomain: string;
  /** The live pointer: only moved by one function (point-site-at-version.ts). */
  current_version_id: string | null;
  /** 1 when unknown paths without a file extension serve index.html. */
  spa_fallback: number;
  /** How many of the newest old versions are kept regardless of age. */
  keep_versions: Generated<number>;
  /** For how many days versions are kept after sealing, regardless of their number. */
  keep_days: Generated<number>;
  /** How many versions these two settings have removed so far. */
  removed_versions: Generated<number>;
  created_at: number;
  updated_at: number;
  /** Set while a deletion can still be undone. */
  deleted_at: number | null;
  /** Set while an operator has suspended it, with the reason; the organization is told. */
  suspended_at: Generated<number | null>;
  suspension_reason: Generated<string | null>;
}

import type { Generated } from 'kysely';

export interface SitesTable {
  id: string;
  organization_id: string;
  /** As typed by the person; shown, never used as an address. */
  name: string;
  /** The name without case and accents: what lists are sorted by and searched in. */
  name_key: string;
  /** The sanitized name: first label of the platform host name, unique while the row exists. */
  subdomain: string;
  /** The live pointer: moved by one function only (point-site-at-version.ts). */
  current_version_id: string | null;
  /** 1 when unknown paths without a file extension answer index.html. */
  spa_fallback: number;
  /** Old versions that are kept whatever their age: the newest so many. */
  keep_versions: Generated<number>;
  /** Versions that are kept however many they are: those sealed in so many days. */
  keep_days: Generated<number>;
  /** How many versions the two have removed so far. */
  removed_versions: Generated<number>;
  created_at: number;
  updated_at: number;
  /** Set while a deletion can still be undone. */
  deleted_at: number | null;
  /** Set while an operator keeps it from being served, and why; the organization is told. */
  suspended_at: Generated<number | null>;
  suspension_reason: Generated<string | null>;
}

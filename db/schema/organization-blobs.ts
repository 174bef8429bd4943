import type { Generated } from 'kysely';

/**
 * Which organization has uploaded which content: `missing` is computed from it, so no one learns what others
 * store.
 */
export interface OrganizationBlobsTable {
  organization_id: string;
  sha256: string;
  /** Of the content, so that the organization's sum is kept (organization-totals.ts). */
  size: number;
  created_at: number;
  /**
   * Bytes of the brotli copy; null while there is none, or when none is worth keeping. Kept per organization,
   * although the copy is shared: no one learns from it what others store (encode-versions.ts).
   */
  brotli_size: Generated<number | null>;
  gzip_size: Generated<number | null>;
  /** When copies were made (or found not worth keeping) for this organization; null before. */
  encoded_at: Generated<number | null>;
}

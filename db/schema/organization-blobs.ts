import type { Generated } from 'kysely';

/** Which organization has uploaded which content: `missing` is computed here, so nobody learns what others store. */
export interface OrganizationBlobsTable {
  organization_id: string;
  sha256: string;
  /** Of the content, so that the sum of an organization follows (organization-totals.ts). */
  size: number;
  created_at: number;
  /**
   * Bytes of the brotli copy; null while there is none, or where none is worth keeping. Of this organization, although the
   * copy is shared: nobody learns from it what others store (encode-versions.ts).
   */
  brotli_size: Generated<number | null>;
  gzip_size: Generated<number | null>;
  /** When copies were made (or found not to be worth keeping) for this organization; null before. */
  encoded_at: Generated<number | null>;
}

/** Which organization has uploaded which content: `missing` is computed here, so nobody learns what others store. */
export interface OrganizationBlobsTable {
  organization_id: string;
  sha256: string;
  /** Of the content, so that the sum of an organization follows (organization-totals.ts). */
  size: number;
  created_at: number;
}

/** Which organization has uploaded which content: `missing` is computed here, so nobody learns what others store. */
export interface OrganizationBlobsTable {
  organization_id: string;
  sha256: string;
  created_at: number;
}

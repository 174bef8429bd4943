/**
 * Sums of an organization that would be too expensive to compute. Triggers update them with every insert,
 * update and delete, so no writer can forget it. A sum that was never above zero has no row.
 */
export interface OrganizationTotalsTable {
  organization_id: string;
  name: 'versions' | 'open_versions' | 'stored_files' | 'stored_bytes';
  total: number;
}

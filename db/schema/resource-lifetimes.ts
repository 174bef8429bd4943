/** When a site or an endpoint existed; outlives both, for names in statistics and for billing. */
export interface ResourceLifetimesTable {
  resource_id: string;
  resource_type: 'site' | 'endpoint';
  organization_id: string;
  /** A site's name, an endpoint's hostname. */
  name: string;
  started_at: number;
  /** Null while it exists. */
  ended_at: number | null;
}

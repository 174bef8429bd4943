import type { Generated } from 'kysely';

/** Whose requests are counted together: an endpoint with the site it led to, or a site's platform names. */
export interface UsageSeriesTable {
  id: Generated<number>;
  organization_id: string;
  endpoint_id: string | null;
  site_id: string | null;
  /** `{organization_id}/{endpoint_id}/{site_id}`, since a unique index lets nulls repeat. */
  key: string;
}

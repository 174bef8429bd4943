import type { Generated } from 'kysely';

/** Whose requests are counted together: an endpoint with the site it led to, or a site's platform names. */
export interface UsageSeriesTable {
  id: Generated<number>;
  organization_id: string;
  endpoint_id: string | null;
  site_id: string | null;
  /** `{organization_id}/{endpoint_id}/{site_id}`, because a unique index allows repeated nulls. */
  key: string;
}

import type { OrganizationRange } from '../usage-range.ts';

/** Returns the query for one endpoint: without days, the server returns the last 30. */
export function endpointUsageRange(of: { organization_id: string; endpoint_id: string }): OrganizationRange {
  return { organization_id: of.organization_id, cdn_endpoint_id: of.endpoint_id };
}

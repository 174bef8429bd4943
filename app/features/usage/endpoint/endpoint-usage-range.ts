import type { OrganizationRange } from '../usage-range.ts';

/** Returns what the figures of one endpoint are asked for by: without days, the server gives the last 30. */
export function endpointUsageRange(of: { organization_id: string; endpoint_id: string }): OrganizationRange {
  return { organization_id: of.organization_id, cdn_endpoint_id: of.endpoint_id };
}

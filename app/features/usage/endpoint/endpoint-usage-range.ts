import type { OrganizationRange } from '../usage-range.ts';

/**
 * Of the query of that usage: its error is not sent with the page (`router.tsx`). A component that mounts while the query is still loading
 * sets it anew, so both name it.
 */
export const ENDPOINT_USAGE_META = { failsAlone: true };

/** Returns the query for one endpoint: without days, the server returns the last 30. */
export function endpointUsageRange(of: { organization_id: string; endpoint_id: string }): OrganizationRange {
  return { organization_id: of.organization_id, cdn_endpoint_id: of.endpoint_id };
}

import { getRouteApi } from '@tanstack/react-router';

const siteRoute = getRouteApi('/$orgId/sites/$siteId');

/** Returns the parameters that identify the site of the address in every call. */
export function useSiteParams(): { organization_id: string; site_id: string } {
  const { orgId, siteId } = siteRoute.useParams();
  return { organization_id: orgId, site_id: siteId };
}

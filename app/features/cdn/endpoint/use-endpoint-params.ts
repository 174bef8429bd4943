import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';

const endpointRoute = getRouteApi('/$orgId/endpoints/$endpointId');

/**
 * Returns the parameters that identify the endpoint of the address in every call: the same object as long as
 * the address is the same.
 */
export function useEndpointParams(): { organization_id: string; endpoint_id: string } {
  const { orgId, endpointId } = endpointRoute.useParams();
  return useMemo(() => ({ organization_id: orgId, endpoint_id: endpointId }), [orgId, endpointId]);
}

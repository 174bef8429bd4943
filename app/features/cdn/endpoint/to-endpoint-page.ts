import { type ParsedLocation, redirect } from '@tanstack/react-router';

/**
 * Redirects from another form of an endpoint's address to `/{orgId}/endpoints/{endpointId}`, without a
 * history entry and keeping the rest of the address.
 */
export function toEndpointPage(at: {
  params: { orgId: string; endpointId: string };
  location: ParsedLocation;
}): never {
  const { orgId, endpointId } = at.params;
  const { searchStr, hash } = at.location;
  const path = `/${encodeURIComponent(orgId)}/endpoints/${encodeURIComponent(endpointId)}`;
  throw redirect({ href: `${path}${searchStr}${hash && `#${hash}`}`, replace: true });
}

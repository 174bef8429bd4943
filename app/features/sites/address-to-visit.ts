import type { Endpoint } from '#server/services/cdn/schema.ts';
import type { Site } from '#server/services/sites/schema.ts';
import { endpointStatus, type StatusFacts } from '../cdn/endpoint-status.ts';

/** Where Visit leads: to the site's first working endpoint, and to its own address as long as there is none. */
export function addressToVisit(
  { id, subdomain_url }: Pick<Site, 'id' | 'subdomain_url'>,
  endpoints: readonly (StatusFacts & Pick<Endpoint, 'site_id' | 'url'>)[] = [],
  now: number,
): string {
  const live = endpoints.find(
    (endpoint) => endpoint.site_id === id && endpointStatus(endpoint, false, now) === 'live',
  );
  return live?.url ?? subdomain_url;
}

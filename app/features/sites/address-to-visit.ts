import type { Endpoint } from '#server/services/cdn/schema.ts';
import type { Site } from '#server/services/sites/schema.ts';
import { endpointStatus, type StatusFacts } from '../cdn/endpoint-status.ts';

/** Where Visit leads: to the site's first endpoint, a working one if there is one, and to the site's own address if there is none. */
export function addressToVisit(
  { id, subdomain_url }: Pick<Site, 'id' | 'subdomain_url'>,
  endpoints: readonly (StatusFacts & Pick<Endpoint, 'site_id' | 'url'>)[] = [],
  now: number,
): string {
  const own = endpoints.filter(({ site_id }) => site_id === id);
  const live = own.find((endpoint) => endpointStatus(endpoint, false, now) === 'live');
  return (live ?? own[0])?.url ?? subdomain_url;
}

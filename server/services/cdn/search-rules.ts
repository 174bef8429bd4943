import type { Endpoint } from '#server/services/cdn/schema.ts';
import { matchesQuery } from '../../../components/lists/matches-query.ts';
import { unicodeHostname } from '../unicode-hostname.ts';

/** Returns the endpoints whose hostname or origin contains every word of the search, in order. */
export function filterEndpoints<E extends Pick<Endpoint, 'hostname' | 'site_name' | 'redirect_target'>>(
  endpoints: readonly E[],
  search: string,
): E[] {
  return endpoints.filter(({ hostname, site_name, redirect_target }) =>
    matchesQuery(
      search,
      [hostname, unicodeHostname(hostname), site_name, redirect_target].filter(Boolean).join(' '),
    ),
  );
}

import { matchesQuery } from '../shared/search-rules.ts';
import type { Endpoint } from './schema.ts';
import { unicodeHostname } from './unicode-hostname-rules.ts';

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

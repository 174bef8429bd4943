import { matchesQuery } from '../shared/search-rules.ts';
import type { Credential } from './schema.ts';

type Searched = Pick<Credential, 'name' | 'description' | 'public_key'> & {
  scopes: readonly Pick<Credential['scopes'][number], 'resource_name'>[];
};

/**
 * Returns the credentials whose name, description, public key and resources contain every word of the search, in
 * order.
 */
export function filterCredentials<C extends Searched>(credentials: readonly C[], search: string): C[] {
  return credentials.filter(({ name, description, public_key, scopes }) =>
    matchesQuery(
      search,
      [name, description, public_key, ...scopes.map(({ resource_name }) => resource_name)]
        .filter(Boolean)
        .join(' '),
    ),
  );
}

import type { Scope } from '#server/services/credentials/schema.ts';

/** Returns the scopes of the chosen sites: the interface always sends read and write (spec/console.md, section 6). */
export function siteScopes(siteIds: ReadonlySet<string>): Scope[] {
  return [...siteIds].map((id) => ({
    resource_type: 'site',
    resource_id: id,
    permissions: ['read', 'write'],
  }));
}

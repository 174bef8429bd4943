import type { Scope } from '#server/services/credentials/schema.ts';

/** What a person ticks: sites and buckets by their ids. */
export interface ChosenResources {
  siteIds: ReadonlySet<string>;
  bucketIds: ReadonlySet<string>;
}

/** Returns the scopes of what is chosen: the interface always sends read and write (spec/console.md, section 6). */
export function toScopes({ siteIds, bucketIds }: ChosenResources): Scope[] {
  const scopeOf =
    (resource_type: Scope['resource_type']) =>
    (id: string): Scope => ({ resource_type, resource_id: id, permissions: ['read', 'write'] });
  return [...[...siteIds].map(scopeOf('site')), ...[...bucketIds].map(scopeOf('bucket'))];
}

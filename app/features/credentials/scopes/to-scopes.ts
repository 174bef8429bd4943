import type { Scope } from '#server/services/credentials/schema.ts';

/** The ids of the selected sites and buckets. */
export interface ChosenResources {
  siteIds: ReadonlySet<string>;
  bucketIds: ReadonlySet<string>;
}

/** Returns the scopes of a selection: the interface always sends read and write. */
export function toScopes({ siteIds, bucketIds }: ChosenResources): Scope[] {
  const scopeOf =
    (resource_type: Scope['resource_type']) =>
    (id: string): Scope => ({ resource_type, resource_id: id, permissions: ['read', 'write'] });
  return [...[...siteIds].map(scopeOf('site')), ...[...bucketIds].map(scopeOf('bucket'))];
}

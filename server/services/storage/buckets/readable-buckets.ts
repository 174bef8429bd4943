import type { OrganizationContext } from '#server/context.ts';

/** Returns the ids of the buckets that a credential can read; null for others, who can read all of the organization. */
export function readableBucketIds({ actor }: Pick<OrganizationContext, 'actor'>): string[] | null {
  if (actor.kind !== 'credential') return null;
  return actor.scopes
    .filter(({ resource_type, permissions }) => resource_type === 'bucket' && permissions.includes('read'))
    .map(({ resource_id }) => resource_id);
}

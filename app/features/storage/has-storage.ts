import type { Organization } from '#server/services/organizations/schema.ts';

/** Whether an organization has object storage; for others it is coming soon. */
export function hasStorage({ features }: Pick<Organization, 'features'>): boolean {
  return features.includes('object_storage');
}

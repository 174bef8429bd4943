import type { Organization } from '#server/services/organizations/schema.ts';

/** Where an organization is made, at the embedded identity service. */
export const NEW_ORGANIZATION_ADDRESS = '/identity/organizations/new';

/** Returns where members see and change who belongs to an organization; null for one that is not managed here. */
export function membersAddress(organization: Organization): string | null {
  if (!organization.is_managed_here || organization.handle === null) return null;
  return `/identity/organizations/${organization.handle}?tab=members`;
}

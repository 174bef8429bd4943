import type { User } from '#server/services/identity/schema.ts';
import {
  type Action,
  isAllowed,
  isBlockedBySuspension,
  type Permission,
} from '#server/services/organizations/rules.ts';
import type { Membership, Organization } from '#server/services/organizations/schema.ts';
import { useMemberships } from './memberships-provider.tsx';

/** An organization and what the current person may do in it. */
export interface CurrentOrganization {
  organization: Organization;
  permission: Permission;
  /** Whether the person may do this now; in a suspended organization nothing can be changed. */
  can(action: Action): boolean;
}

/**
 * Returns the organization of the address.
 * @throws when the address names none of the person's organizations
 */
export function useOrganization(): CurrentOrganization {
  const { membership } = useMemberships();
  if (!membership) throw new Error('useOrganization is for pages of a known organization');
  return toCurrentOrganization(membership);
}

/** Returns the organization that the frame leads to, which exists even around an unknown one. */
export function useHomeOrganization(): CurrentOrganization {
  return toCurrentOrganization(useMemberships().home);
}

/** Returns the signed-in person. */
export function useUser(): User {
  return useMemberships().user;
}

function toCurrentOrganization({ organization, permission }: Membership): CurrentOrganization {
  const isSuspended = organization.suspended_at !== null;
  return {
    organization,
    permission,
    can: (action) => isAllowed(permission, action) && !(isSuspended && isBlockedBySuspension(action)),
  };
}

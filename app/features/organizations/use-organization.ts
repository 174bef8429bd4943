import { getRouteApi } from '@tanstack/react-router';
import {
  ACTION_PERMISSION,
  type Action,
  isAllowed,
  type Permission,
} from '#server/services/organizations/rules.ts';
import type { Organization } from '#server/services/organizations/schema.ts';

const organizationRoute = getRouteApi('/$orgId');

/** Returns the organization of the address, and what its member at the screen may do. */
export function useOrganization(): {
  organization: Organization;
  permission: Permission;
  /** Whether the member may do this; `requiredPermission` says what it takes. */
  can(action: Action): boolean;
  requiredPermission(action: Action): Permission;
} {
  const { membership } = organizationRoute.useRouteContext();
  return {
    organization: membership.organization,
    permission: membership.permission,
    can: (action) => isAllowed(membership.permission, action),
    requiredPermission: (action) => ACTION_PERMISSION[action],
  };
}

/** Returns the signed-in person. */
export function useUser() {
  return organizationRoute.useRouteContext().user;
}

import { useLingui } from '@lingui/react/macro';
import type { Action } from '#server/services/organizations/rules.ts';
import { PERMISSION_NAMES } from '../../i18n/permission-names.ts';
import { useOrganization } from './use-organization.ts';

/** Returns a function that says why the member may not do something, or null when they may. */
export function usePermissionReason(): (action: Action) => string | null {
  const { i18n, t } = useLingui();
  const { can, requiredPermission } = useOrganization();
  return (action) => {
    if (can(action)) return null;
    const permission = i18n._(PERMISSION_NAMES[requiredPermission(action)]);
    return t`You need the permission ${permission} in this organization.`;
  };
}

import { useLingui } from '@lingui/react/macro';
import { ACTION_PERMISSION, type Action } from '#server/services/organizations/rules.ts';
import { PERMISSION_NAMES } from '../../i18n/permission-names.ts';
import { useOrganization } from './use-organization.ts';

/**
 * Returns a function that says why the person cannot do something in this organization, or null when they
 * can.
 */
export function usePermissionReason(): (action: Action) => string | null {
  const { i18n, t } = useLingui();
  const { organization, can } = useOrganization();
  const { suspended_at: suspendedAt, suspension_reason: reason } = organization;
  return (action) => {
    if (can(action)) return null;
    if (suspendedAt !== null) {
      return reason ? t`This organization is suspended: ${reason}` : t`This organization is suspended.`;
    }
    const permission = i18n._(PERMISSION_NAMES[ACTION_PERMISSION[action]]);
    return t`You need the ${permission} permission in this organization.`;
  };
}

import { useLingui } from '@lingui/react/macro';
import { ACTION_PERMISSION, type Action, isAllowed } from '#server/services/organizations/rules.ts';
import type { Membership } from '#server/services/organizations/schema.ts';
import { FORESEEN_MESSAGES } from '../../../i18n/errors/foreseen-messages.ts';
import { PERMISSION_NAMES } from '../../../i18n/permission-names.ts';

/**
 * Returns a function that says why a member may not do something in an organization, or null when they may.
 */
export function useMemberReason(membership: Membership): (action: Action) => string | null {
  const { i18n, t } = useLingui();
  return (action) => {
    if (membership.organization.suspended_at) return i18n._(FORESEEN_MESSAGES.organization_suspended);
    if (isAllowed(membership.permission, action)) return null;
    const permission = i18n._(PERMISSION_NAMES[ACTION_PERMISSION[action]]);
    return t`You need the ${permission} permission in this organization.`;
  };
}

import { Trans } from '@lingui/react/macro';
import { SuspensionNotice } from '../../components/suspension-notice.tsx';
import { useMemberships } from './memberships-provider.tsx';

/**
 * Says on every page of an organization that an operator has suspended it, and why. Renders nothing
 * otherwise.
 */
export function SuspensionBanner() {
  const { membership } = useMemberships();
  if (!membership || membership.organization.suspended_at === null) return null;
  return (
    <SuspensionNotice
      title={<Trans>This organization is suspended</Trans>}
      reason={membership.organization.suspension_reason}
    >
      <Trans>
        Its sites are not served. You can view everything here, but nothing can be changed until the operator
        of this installation lifts the suspension.
      </Trans>
    </SuspensionNotice>
  );
}

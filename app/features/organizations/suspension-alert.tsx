import { Trans } from '@lingui/react/macro';
import { SuspensionNotice } from '../../components/suspension-notice.tsx';
import { useSettings } from '../../use-settings.ts';

/** Says that an operator has suspended the organization, why, and what that means. */
export default function SuspensionAlert({ reason }: { reason: string | null }) {
  const isBilling = useSettings().billingMode !== 'off';
  return (
    <SuspensionNotice title={<Trans>This organization is suspended</Trans>} reason={reason}>
      {isBilling ? (
        <Trans>
          Its sites are not served. You can view everything here, but until the operator of this installation
          lifts the suspension, only billing can be changed: owners can still change cards and the billing
          contact, so that invoices can be paid.
        </Trans>
      ) : (
        <Trans>
          Its sites are not served. You can view everything here, but nothing can be changed until the
          operator of this installation lifts the suspension.
        </Trans>
      )}
    </SuspensionNotice>
  );
}

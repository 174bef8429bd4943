import { Trans } from '@lingui/react/macro';
import { SuspensionNotice } from '../../components/suspension-notice.tsx';

/** Says that an operator has suspended the organization, why, and what that means. */
export default function SuspensionAlert({ reason }: { reason: string | null }) {
  return (
    <SuspensionNotice title={<Trans>This organization is suspended</Trans>} reason={reason}>
      <Trans>
        Its sites are not served. You can view everything here, but nothing can be changed until the operator
        of this installation lifts the suspension.
      </Trans>
    </SuspensionNotice>
  );
}

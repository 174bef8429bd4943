import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { PageHeader } from '../../components/page/page-header.tsx';

/** Title and subtitle of the page, with its main action. */
export function WebhooksHeader({ actions }: { actions?: ReactNode }) {
  return (
    <PageHeader
      title={<Trans>Webhooks</Trans>}
      subtitle={<Trans>Your own addresses, notified of what happens here as it happens.</Trans>}
      actions={actions}
    />
  );
}

import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { PageHeader } from '../../../components/page/page-header.tsx';

/** Title and subtitle of the CDN page, and its main action. */
export function EndpointsHeader({ actions }: { actions?: ReactNode }) {
  return (
    <PageHeader
      title={<Trans>CDN</Trans>}
      subtitle={<Trans>Your own hostnames in front of your sites.</Trans>}
      actions={actions}
    />
  );
}

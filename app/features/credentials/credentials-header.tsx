import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { PageHeader } from '../../components/page/page-header.tsx';

/** Title and subtitle of the page, with its main action. */
export function CredentialsHeader({ actions }: { actions?: ReactNode }) {
  return (
    <PageHeader
      title={<Trans>API credentials</Trans>}
      subtitle={
        <Trans>
          Keys for deploying and for calling the API. Each credential gives access only to the resources you
          choose.
        </Trans>
      }
      actions={actions}
    />
  );
}

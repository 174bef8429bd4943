import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { PageHeader } from '../../components/page/page-header.tsx';

/** Title and description of the storage page, and its main action. */
export function StorageHeader({ actions }: { actions?: ReactNode }) {
  return (
    <PageHeader
      title={<Trans>Object storage</Trans>}
      subtitle={<Trans>Buckets for files of any size, for every S3-compatible client.</Trans>}
      actions={actions}
    />
  );
}

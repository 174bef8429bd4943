import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { PageHeader } from '../../components/page/page-header.tsx';

export function AuditHeader({ action }: { action?: ReactNode }) {
  return (
    <PageHeader
      title={<Trans>Audit log</Trans>}
      subtitle={
        <Trans>Who did what in this organization during the last year. Every member can read it.</Trans>
      }
      actions={action}
    />
  );
}

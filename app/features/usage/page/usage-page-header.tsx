import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { AnchorLink } from '../../../components/links.tsx';
import { Breadcrumbs } from '../../../components/page/breadcrumbs.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';

/** The breadcrumbs and the head of the usage page. */
export function UsagePageHeader({ organizationId, action }: { organizationId: string; action?: ReactNode }) {
  return (
    <>
      <Breadcrumbs current={<Trans>Usage</Trans>}>
        <AnchorLink to="/$orgId/billing" params={{ orgId: organizationId }}>
          <Trans>Billing</Trans>
        </AnchorLink>
      </Breadcrumbs>
      <PageHeader
        title={<Trans>Usage</Trans>}
        subtitle={<Trans>What your endpoints and sites served, by day, status and file.</Trans>}
        actions={action}
      />
    </>
  );
}

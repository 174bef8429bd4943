import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { SitesTableSkeleton } from './sites-table.tsx';

/** The sites page before its data: the same head, with placeholder rows. */
export function SitesPageSkeleton() {
  return (
    <>
      <PageHeader
        title={<Trans>Sites</Trans>}
        subtitle={<Trans>Static sites: deploy a folder, see it live, roll it back.</Trans>}
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} disabled>
            <Trans>Create site</Trans>
          </Button>
        }
      />
      <SitesTableSkeleton />
    </>
  );
}

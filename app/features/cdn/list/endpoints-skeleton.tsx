import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { EndpointTableSkeleton } from './endpoint-table.tsx';
import { EndpointsHeader } from './endpoints-header.tsx';

/** The CDN page before its data: the same head, with placeholder rows. */
export function EndpointsSkeleton() {
  return (
    <>
      <EndpointsHeader
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} disabled>
            <Trans>Add endpoint</Trans>
          </Button>
        }
      />
      <EndpointTableSkeleton />
    </>
  );
}

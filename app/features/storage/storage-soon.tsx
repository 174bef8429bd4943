import { Trans } from '@lingui/react/macro';
import { Badge, Card } from '@mantine/core';
import { IconBucket } from '@tabler/icons-react';
import { EmptyState } from '../../components/lists/empty-state.tsx';
import { StorageHeader } from './storage-header.tsx';

/** What the address shows to an organization without the feature. */
export function StorageSoon() {
  return (
    <>
      <StorageHeader />
      <Card padding={0}>
        <EmptyState
          icon={IconBucket}
          title={<Trans>Object storage is coming soon</Trans>}
          action={
            <Badge color="gray">
              <Trans>coming soon</Trans>
            </Badge>
          }
        >
          <Trans>
            This organization does not have object storage yet. The operator of this installation can turn it
            on.
          </Trans>
        </EmptyState>
      </Card>
    </>
  );
}

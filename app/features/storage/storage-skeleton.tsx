import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { BucketTableSkeleton } from './buckets/bucket-table.tsx';
import { StorageHeader } from './storage-header.tsx';

/** The storage page before its data: the same head, with placeholder rows. */
export function StorageSkeleton() {
  return (
    <>
      <StorageHeader
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} disabled>
            <Trans>Create bucket</Trans>
          </Button>
        }
      />
      <BucketTableSkeleton />
    </>
  );
}

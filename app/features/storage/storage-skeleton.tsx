import { BucketTableSkeleton } from './bucket-table.tsx';
import { StorageHeader } from './storage-header.tsx';

/** The storage page before its data: the same head, with placeholder rows. */
export function StorageSkeleton() {
  return (
    <>
      <StorageHeader />
      <BucketTableSkeleton />
    </>
  );
}

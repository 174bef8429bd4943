import { useOrganization } from '../../organizations/use-organization.ts';
import { hasStorage } from '../has-storage.ts';
import { StorageSoon } from '../storage-soon.tsx';
import { BucketScreen } from './bucket-screen.tsx';
import { useBucketParams } from './use-bucket-params.ts';

/** The content of a bucket, or that object storage is coming soon. */
export function BucketPage() {
  const { organization } = useOrganization();
  const { bucket_id } = useBucketParams();
  if (!hasStorage(organization)) return <StorageSoon />;
  // Uploads and the selection belong to one bucket.
  return <BucketScreen key={bucket_id} />;
}

import { useOrganization } from '../organizations/use-organization.ts';
import { BucketsScreen } from './buckets/buckets-screen.tsx';
import { hasStorage } from './has-storage.ts';
import { StorageSoon } from './storage-soon.tsx';

/** Object storage: the organization's buckets, or that they are coming soon. */
export function StoragePage() {
  const { organization } = useOrganization();
  if (!hasStorage(organization)) return <StorageSoon />;
  // Another organization's list starts afresh: nothing of the previous one is shown meanwhile.
  return <BucketsScreen key={organization.id} />;
}

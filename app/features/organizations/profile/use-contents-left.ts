import type { Membership } from '#server/services/organizations/schema.ts';
import { trpc } from '../../../trpc.ts';
import { useBucketPages } from '../../storage/buckets/use-buckets.ts';
import { hasStorage } from '../../storage/has-storage.ts';

/** Of what an organization still has some, which prevents deleting it. */
export interface ContentsLeft {
  sites: boolean;
  endpoints: boolean;
  credentials: boolean;
  buckets: boolean;
}

/** Returns what an organization still has, and the queries that say so. */
export function useContentsLeft({ organization }: Membership) {
  const inIt = { organization_id: organization.id };
  const sites = trpc.sites.list.useQuery({ ...inIt, limit: 1 });
  const endpoints = trpc.cdn.page.useQuery({ ...inIt, limit: 1 });
  const credentials = trpc.credentials.page.useQuery({ ...inIt, limit: 1 });
  const isStorageOn = hasStorage(organization);
  const buckets = useBucketPages(organization.id, undefined, isStorageOn);
  const left: ContentsLeft = {
    sites: (sites.data?.items.length ?? 0) > 0,
    endpoints: (endpoints.data?.items.length ?? 0) > 0,
    credentials: (credentials.data?.items.length ?? 0) > 0,
    // One that is being deleted does not prevent it.
    buckets: buckets.pages.hasNextPage || buckets.rows.some(({ status }) => status !== 'deleting'),
  };
  return { queries: [sites, endpoints, credentials, ...(isStorageOn ? [buckets.pages] : [])], left };
}

import { createFileRoute } from '@tanstack/react-router';
import { hasStorage } from '../../../features/storage/has-storage.ts';
import { StoragePage } from '../../../features/storage/storage-page.tsx';
import { StorageSkeleton } from '../../../features/storage/storage-skeleton.tsx';
import { pageTitle } from '../../../i18n/page-title.ts';
import { flagParam, idParam, readSearch, textParam } from '../../../search-params.ts';

const validSearch = readSearch({
  create: flagParam,
  edit: idParam,
  empty: idParam,
  delete: idParam,
  connect: idParam,
  search: textParam,
});

export const Route = createFileRoute('/$orgId/storage/')({
  validateSearch: validSearch,
  // Not a dependency of the loader, as in the list of sites: typing searches inside the page.
  loader: async ({ context: { trpc }, params, location }) => {
    const memberships = await trpc.organizations.list.ensureData();
    const own = memberships.find(({ organization }) => organization.id === params.orgId);
    if (!own || !hasStorage(own.organization)) return;
    const ofOrganization = { organization_id: params.orgId };
    const { search } = validSearch(location.search);
    await Promise.all([
      trpc.storage.pageBuckets.prefetchInfinite({ ...ofOrganization, search }),
      trpc.organizations.limits.prefetch(ofOrganization),
    ]);
  },
  pendingComponent: StorageSkeleton,
  head: ({ match }) => ({ meta: [{ title: pageTitle(match.context, 'storage') }] }),
  component: StoragePage,
});

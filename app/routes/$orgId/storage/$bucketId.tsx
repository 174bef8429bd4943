import { msg } from '@lingui/core/macro';
import { createFileRoute, notFound } from '@tanstack/react-router';
import { hasStorage } from '../../../features/storage/has-storage.ts';
import { BucketNotFound } from '../../../features/storage/objects/bucket-not-found.tsx';
import { BucketPage } from '../../../features/storage/objects/bucket-page.tsx';
import { BucketPageSkeleton } from '../../../features/storage/objects/bucket-page-skeleton.tsx';
import { isAbsent } from '../../../i18n/errors/read-error.ts';
import { pageTitle, titleOfOne } from '../../../i18n/page-title.ts';
import { readSearch, textParam } from '../../../search-params.ts';

const validSearch = readSearch({
  prefix: textParam,
  search: textParam,
  object: textParam,
  dialog: textParam,
});

export const Route = createFileRoute('/$orgId/storage/$bucketId')({
  validateSearch: validSearch,
  loader: async ({ context: { trpc }, params, location }) => {
    const memberships = await trpc.organizations.list.ensureData();
    const own = memberships.find(({ organization }) => organization.id === params.orgId);
    if (!own || !hasStorage(own.organization)) return { name: undefined };
    const ofBucket = { organization_id: params.orgId, bucket_id: params.bucketId };
    const { prefix, search } = validSearch(location.search);
    const [bucket] = await Promise.all([
      trpc.storage.getBucket.ensureData(ofBucket).catch((error: unknown) => {
        throw isAbsent(error) ? notFound() : error;
      }),
      trpc.usage.storage.prefetch({ ...ofBucket, period: 'month' }),
      trpc.storage.listObjects.prefetchInfinite({ ...ofBucket, prefix, search, limit: 100 }),
    ]);
    return { name: bucket.name };
  },
  head: ({ match, loaderData }) => {
    const missing = match.context.i18n._(msg`Bucket not found`);
    const title = titleOfOne(match.status, { name: loaderData?.name, missing, section: 'storage' });
    return { meta: [{ title: pageTitle(match.context, title) }] };
  },
  pendingComponent: BucketPageSkeleton,
  notFoundComponent: BucketNotFound,
  component: BucketPage,
});

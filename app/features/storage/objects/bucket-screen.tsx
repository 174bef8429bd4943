import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Box, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense } from 'react';
import type { Bucket } from '#server/services/storage/schema.ts';
import { SidePanel } from '../../../components/dialogs/side-panel.tsx';
import { lazyPart } from '../../../components/lazy-parts/lazy-part.tsx';
import { SearchField } from '../../../components/lists/search-field.tsx';
import { searchInAddress } from '../../../components/lists/search-in-address.ts';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { isNotFound } from '../../../i18n/errors/read-error.ts';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { trpc } from '../../../trpc.ts';
import type { PickedFile } from '../../deployments/upload/picked-files.ts';
import { readDropped, takeDropped } from '../../deployments/upload/read-dropped.ts';
import { useWindowDrop } from '../../deployments/use-window-drop.ts';
import { LimitNotice } from '../../limits/limit-notice.tsx';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { EmptyingProgress } from '../buckets/emptying-progress.tsx';
import { PublicBadge } from '../buckets/public-badge.tsx';
import { isSettling, SETTLING_MS } from '../buckets/use-buckets.ts';
import { UploadButtons } from '../uploads/upload-buttons.tsx';
import { UploadList } from '../uploads/upload-list.tsx';
import { useUploads } from '../uploads/use-uploads.ts';
import { StorageUsageCard } from '../usage/storage-usage-card.tsx';
import { BucketActions } from './bucket-actions.tsx';
import { BucketCrumbs } from './bucket-crumbs.tsx';
import { BucketNotFound } from './bucket-not-found.tsx';
import { fileNameOf } from './key-names.ts';
import { ObjectList } from './object-list.tsx';
import { useBucketParams } from './use-bucket-params.ts';

const route = getRouteApi('/$orgId/storage/$bucketId');
/** How often the page checks whether another person has deleted or changed its bucket. */
const REFRESH_MS = 10_000;
/** Preview and metadata are loaded with the first opened object. */
const ObjectDetails = lazyPart(() => import('./object-details.tsx'));
/** Most buckets have none: the page does not wait for them. */
const UnfinishedUploads = lazyPart(() => import('../uploads/unfinished-uploads.tsx'));

/** A bucket: its folders and objects, uploads, and the object in the address next to them. */
export function BucketScreen() {
  const { t, i18n } = useLingui();
  const ofBucket = useBucketParams();
  const { prefix = '', search = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [bucket, query] = trpc.storage.getBucket.useSuspenseQuery(ofBucket, {
    refetchInterval: ({ state }) => (state.data && isSettling(state.data) ? SETTLING_MS : REFRESH_MS),
    refetchOnWindowFocus: 'always',
  });
  const reason =
    usePermissionReason()('object.write') ??
    (bucket.status === 'active' ? null : t`The bucket can be changed only while it is active.`);
  const uploads = useUploads(ofBucket, bucket.name);
  const add = (files: readonly PickedFile[]) =>
    uploads.add(files.map(({ path, file }) => ({ key: prefix + path, file })));
  const isOver = useWindowDrop((data) => {
    if (reason !== null) return;
    const dropped = takeDropped(data.items);
    void readDropped(dropped, () => undefined).then(add);
  });
  const { object_count: count, region } = bucket;
  const objects = t`${plural(count, { one: '# object', other: '# objects' })}`;
  const size = formatBytes(bucket.stored_bytes, i18n.locale);

  if (isNotFound(query.error)) return <BucketNotFound />;
  return (
    <Box data-over={isOver && reason === null ? true : undefined}>
      <BucketCrumbs name={bucket.name} prefix={prefix} />
      <PageHeader
        title={bucket.name}
        subtitle={
          <>
            {objects} · {size} · {region} {bucket.public_read && <PublicBadge />}
          </>
        }
        actions={
          <>
            <BucketActions bucket={bucket} />
            <UploadButtons reason={reason} onPick={add} />
          </>
        }
      />
      <LimitNotice organizationId={ofBucket.organization_id} of={['bucket_bytes', 'bucket_objects']} />
      {bucket.emptying !== null && (
        <Box mb="md">
          <EmptyingProgress bucket={bucket} />
        </Box>
      )}
      <UploadList uploads={uploads} prefix={prefix} />
      <Box mb="md" maw={{ sm: 320 }}>
        <SearchField
          key={prefix}
          label={t`Names that begin with`}
          value={search}
          onSearch={(text) => void navigate(searchInAddress(text))}
        />
      </Box>
      {reason === null && (
        <Text size="xs" c="dimmed" mb="xs" className="screen-only">
          {isOver ? (
            <Trans>Drop to upload here</Trans>
          ) : (
            <Trans>Drop files or folders anywhere on this page.</Trans>
          )}
        </Text>
      )}
      <ObjectList
        key={`${prefix}\n${search}`}
        prefix={prefix}
        search={search}
        reason={reason}
        isOver={isOver}
      />
      <Box mt="lg">
        <StorageUsageCard range={{ ...ofBucket, period: 'month' }} title={<Trans>Usage this month</Trans>} />
      </Box>
      {bucket.status === 'active' && (
        <Box mt="lg">
          <Suspense fallback={null}>
            <UnfinishedUploads bucket={bucket} reason={reason} uploads={uploads} />
          </Suspense>
        </Box>
      )}
      <ObjectPanel bucket={bucket} reason={reason} />
    </Box>
  );
}

/** The object that the address names, beside its list. */
function ObjectPanel({ bucket, reason }: { bucket: Bucket; reason: string | null }) {
  const { t } = useLingui();
  const { object } = route.useSearch();
  const navigate = route.useNavigate();
  const close = () =>
    void navigate({
      search: (before) => ({ ...before, object: undefined }),
      replace: true,
      resetScroll: false,
    });
  return (
    <SidePanel
      isOpen={object !== undefined}
      onClose={close}
      title={object === undefined ? '' : fileNameOf(object)}
      size="lg"
      closeLabel={t`Close`}
    >
      {object !== undefined && (
        <Suspense fallback={null}>
          <ObjectDetails key={object} bucket={bucket} objectKey={object} reason={reason} onDone={close} />
        </Suspense>
      )}
    </SidePanel>
  );
}

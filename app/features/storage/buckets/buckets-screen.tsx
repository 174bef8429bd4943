import { Trans, useLingui } from '@lingui/react/macro';
import { Box, Button, Card, Text } from '@mantine/core';
import { IconBucket, IconPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { Bucket } from '#server/services/storage/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { lazyPart } from '../../../components/lazy-parts/lazy-part.tsx';
import { EmptyState } from '../../../components/lists/empty-state.tsx';
import { SearchField } from '../../../components/lists/search-field.tsx';
import { searchInAddress } from '../../../components/lists/search-in-address.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { LimitNotice } from '../../limits/limit-notice.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { StorageHeader } from '../storage-header.tsx';
import { BucketModal } from './bucket-modal.tsx';
import { BucketTable, BucketTableSkeleton } from './bucket-table.tsx';
import { useBucketPages } from './use-buckets.ts';
import { useDialogTitle } from './use-dialog-title.ts';

const route = getRouteApi('/$orgId/storage/');
/** With fewer buckets than this, scanning is quicker than searching. */
const SEARCH_FROM = 8;
/** The content of the dialogs is loaded with the first of each: the list does not wait for it. */
const CreateBucketForm = lazyPart(() => import('./create-bucket-form.tsx'));
const EditBucketForm = lazyPart(() => import('./edit-bucket-form.tsx'));
const EmptyBucketForm = lazyPart(() => import('./empty-bucket-form.tsx'));
const DeleteBucketForm = lazyPart(() => import('./delete-bucket-form.tsx'));
const ClientGuide = lazyPart(() => import('../clients/client-guide.tsx'));

/** The kind of dialog; it is in the address. */
const DIALOGS = ['edit', 'empty', 'delete', 'connect'] as const;
export type BucketDialog = (typeof DIALOGS)[number];

/** The buckets in all states of the list, and the dialogs, which are in the address. */
export function BucketsScreen() {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { pages, rows, hasNone } = useBucketPages(organization.id, search.search);
  const createReason = usePermissionReason()('bucket.manage');
  const toDialog = (dialog: { create?: true } | { [name in BucketDialog]?: string }, isEnd = false) =>
    void navigate({
      search: ({ search: typed }) => ({ search: typed, ...dialog }),
      replace: isEnd,
      resetScroll: false,
    });
  const close = () => toDialog({}, true);
  const open = (dialog: BucketDialog) => (bucket: Bucket) => toDialog({ [dialog]: bucket.id });
  const createButton = (
    <ReasonedAction reason={createReason} onAct={() => toDialog({ create: true })}>
      {(action) => (
        <Button leftSection={<IconPlus size={16} aria-hidden />} {...action}>
          <Trans>Create bucket</Trans>
        </Button>
      )}
    </ReasonedAction>
  );
  const { search: typed = '' } = search;
  return (
    <>
      <StorageHeader actions={!hasNone && createButton} />
      <LimitNotice organizationId={organization.id} of={['buckets', 'bucket_bytes', 'bucket_objects']} />
      {pages.isPending && <BucketTableSkeleton />}
      {hasNone && (
        <Card padding={0}>
          <EmptyState icon={IconBucket} title={<Trans>No buckets yet</Trans>} action={createButton}>
            <Trans>
              A bucket holds files of any size. Create one, give a credential access to it, and every
              S3-compatible client can use it: for backups, media, logs and data sets.
            </Trans>
          </EmptyState>
        </Card>
      )}
      {(rows.length >= SEARCH_FROM || typed !== '' || pages.isPlaceholderData) && (
        <Box mb="md" maw={{ sm: 320 }}>
          <SearchField
            label={t`Search buckets`}
            value={typed}
            onSearch={(text) => void navigate(searchInAddress(text))}
          />
        </Box>
      )}
      {pages.isError && !pages.isFetchNextPageError && (
        <ErrorNotice onRetry={pages.refetch}>
          <LoadError error={pages.error} />
        </ErrorNotice>
      )}
      {pages.isSuccess && rows.length === 0 && typed !== '' && (
        <Text c="dimmed" size="sm" ta="center" py="xl" role="status">
          <Trans>No bucket matches “{typed}”.</Trans>
        </Text>
      )}
      {rows.length > 0 && (
        <BucketTable
          buckets={rows}
          pages={pages}
          onConnect={open('connect')}
          onEdit={open('edit')}
          onEmpty={open('empty')}
          onDelete={open('delete')}
        />
      )}
      <BucketDialogs buckets={rows} canManage={createReason === null} onClose={close} />
    </>
  );
}

/** The dialogs about a bucket, and the one for a new one; the address says which is open. */
function BucketDialogs(props: { buckets: readonly Bucket[]; canManage: boolean; onClose: () => void }) {
  const { canManage, onClose } = props;
  const { t } = useLingui();
  const search = route.useSearch();
  const canEdit = usePermissionReason()('bucket.cors') === null;
  const titleOf = useDialogTitle();
  const bucket = useBucket(search.edit ?? search.empty ?? search.delete ?? search.connect, props.buckets);
  const named = (id: string | undefined) => (id !== undefined && bucket?.id === id ? bucket : null);
  const edited = canEdit ? named(search.edit) : null;
  const emptied = canManage ? named(search.empty) : null;
  const removed = canManage ? named(search.delete) : null;
  const connected = named(search.connect);
  return (
    <>
      <BucketModal isOpen={search.create === true && canManage} title={t`Create bucket`} onClose={onClose}>
        <CreateBucketForm onDone={onClose} />
      </BucketModal>
      <BucketModal isOpen={edited !== null} title={titleOf('edit', edited)} onClose={onClose}>
        {edited && <EditBucketForm key={edited.id} bucket={edited} onDone={onClose} />}
      </BucketModal>
      <BucketModal isOpen={emptied !== null} title={titleOf('empty', emptied)} onClose={onClose}>
        {emptied && <EmptyBucketForm key={emptied.id} bucket={emptied} onDone={onClose} />}
      </BucketModal>
      <BucketModal isOpen={removed !== null} title={titleOf('delete', removed)} onClose={onClose}>
        {removed && <DeleteBucketForm key={removed.id} bucket={removed} onDone={onClose} />}
      </BucketModal>
      <BucketModal isOpen={connected !== null} title={titleOf('connect', connected)} onClose={onClose}>
        {connected && <ClientGuide bucket={connected} />}
      </BucketModal>
    </>
  );
}

/** Returns a bucket by its id: one of the list, or any other; null without one. */
function useBucket(id: string | undefined, listed: readonly Bucket[]): Bucket | null {
  const { organization } = useOrganization();
  const known = listed.find((bucket) => bucket.id === id);
  const other = trpc.storage.getBucket.useQuery(
    { organization_id: organization.id, bucket_id: id ?? '' },
    { enabled: id !== undefined && known === undefined },
  );
  return known ?? (id === undefined ? null : (other.data ?? null));
}

function LoadError({ error }: { error: unknown }) {
  const message = useErrorMessage()(error);
  return <Trans>Error: {message}</Trans>;
}

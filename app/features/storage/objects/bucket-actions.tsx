import { useLingui } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import { IconPencil, IconPlugConnected } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { Bucket } from '#server/services/storage/schema.ts';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { lazyPart } from '../../../components/lazy-parts/lazy-part.tsx';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { BucketModal } from '../buckets/bucket-modal.tsx';

const route = getRouteApi('/$orgId/storage/$bucketId');
const ClientGuide = lazyPart(() => import('../clients/client-guide.tsx'));
const EditBucketForm = lazyPart(() => import('../buckets/edit-bucket-form.tsx'));

/** Connecting a client to the bucket of the page, and who may use it from where; the address says which dialog is open. */
export function BucketActions({ bucket }: { bucket: Bucket }) {
  const { t } = useLingui();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { name } = bucket;
  const editReason =
    usePermissionReason()('bucket.cors') ??
    (bucket.status === 'active' ? null : t`The bucket can be changed only while it is active.`);
  const open = (dialog: 'connect' | 'edit') =>
    void navigate({ search: (before) => ({ ...before, dialog }), resetScroll: false });
  const close = () =>
    void navigate({
      search: (before) => ({ ...before, dialog: undefined }),
      replace: true,
      resetScroll: false,
    });
  const isEdited = search.dialog === 'edit' && editReason === null;
  return (
    <>
      <ActionIcon
        variant="default"
        size={36}
        onClick={() => open('connect')}
        aria-label={t`Connect a client to ${name}`}
        title={t`Connect a client`}
      >
        <IconPlugConnected size={18} stroke={1.6} aria-hidden />
      </ActionIcon>
      <ReasonedAction reason={editReason} onAct={() => open('edit')}>
        {(action) => (
          <ActionIcon
            variant="default"
            size={36}
            aria-label={t({ context: 'bucket', message: `Edit ${name}` })}
            title={editReason === null ? t`Edit` : undefined}
            {...action}
          >
            <IconPencil size={18} stroke={1.6} aria-hidden />
          </ActionIcon>
        )}
      </ReasonedAction>
      <BucketModal
        isOpen={search.dialog === 'connect'}
        title={t`Connect a client to ${name}`}
        onClose={close}
      >
        <ClientGuide bucket={bucket} />
      </BucketModal>
      <BucketModal
        isOpen={isEdited}
        title={t({ context: 'bucket', message: `Edit ${name}` })}
        onClose={close}
      >
        <EditBucketForm bucket={bucket} onDone={close} />
      </BucketModal>
    </>
  );
}

import { useLingui } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import { IconEraser, IconPencil, IconPlugConnected, IconTrash } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Bucket } from '#server/services/storage/schema.ts';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';

/** What can be done with a bucket in the list. */
export interface BucketRowChoices {
  onConnect: (bucket: Bucket) => void;
  onEdit: (bucket: Bucket) => void;
  onEmpty: (bucket: Bucket) => void;
  onDelete: (bucket: Bucket) => void;
}

/** The buttons at the end of a bucket's row; those that cannot be used say why. */
export function BucketRowActions(props: { bucket: Bucket } & BucketRowChoices) {
  const { bucket } = props;
  const { name, status } = bucket;
  const { t } = useLingui();
  const reasonOf = usePermissionReason();
  const notActive = status === 'active' ? null : t`The bucket can be changed only while it is active.`;
  return (
    <>
      <ActionIcon
        onClick={() => props.onConnect(bucket)}
        aria-label={t`Connect a client to ${name}`}
        title={t`Connect a client`}
      >
        <IconPlugConnected size={17} stroke={1.6} aria-hidden />
      </ActionIcon>
      <RowAction
        icon={IconPencil}
        label={t`Edit ${name}`}
        title={t`Edit`}
        reason={reasonOf('bucket.cors') ?? notActive}
        onAct={() => props.onEdit(bucket)}
      />
      <RowAction
        icon={IconEraser}
        label={t({ context: 'bucket', message: `Empty ${name}` })}
        title={t({ context: 'bucket', message: 'Empty' })}
        reason={reasonOf('bucket.manage') ?? notActive}
        onAct={() => props.onEmpty(bucket)}
      />
      <RowAction
        icon={IconTrash}
        label={t({ context: 'bucket', message: `Delete ${name}` })}
        title={t`Delete`}
        reason={reasonOf('bucket.manage') ?? (status === 'deleting' ? t`The bucket is being deleted.` : null)}
        onAct={() => props.onDelete(bucket)}
      />
    </>
  );
}

function RowAction(props: {
  icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true }>;
  label: string;
  title: string;
  /** Why it cannot be done; it takes the place of the title. */
  reason: string | null;
  onAct: () => void;
}) {
  const { icon: ActIcon, label, title, reason, onAct } = props;
  return (
    <ReasonedAction reason={reason} onAct={onAct}>
      {(action) => (
        <ActionIcon aria-label={label} title={reason === null ? title : undefined} {...action}>
          <ActIcon size={17} stroke={1.6} aria-hidden />
        </ActionIcon>
      )}
    </ReasonedAction>
  );
}

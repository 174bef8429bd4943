import { plural } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import { IconEraser, IconPencil, IconPlugConnected, IconTrash } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { formatDate } from '#server/services/shared/date-rules.ts';
import type { Bucket } from '#server/services/storage/schema.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { formatBytes } from '../../../i18n/format-bytes.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { BucketStatusBadge } from './bucket-status-badge.tsx';
import classes from './bucket-table.module.css';
import { EmptyingProgress } from './emptying-progress.tsx';
import { PublicBadge } from './public-badge.tsx';
import { regionName } from './region-name.ts';

/** One bucket of the list, built from plain elements: see the rows of the sites' table. */
export function BucketRow(props: {
  bucket: Bucket;
  onConnect: (bucket: Bucket) => void;
  onEdit: (bucket: Bucket) => void;
  onEmpty: (bucket: Bucket) => void;
  onDelete: (bucket: Bucket) => void;
}) {
  const { bucket } = props;
  const { t, i18n } = useLingui();
  const reasonOf = usePermissionReason();
  const { organization } = useOrganization();
  const { name, status, object_count: count } = bucket;
  const editReason =
    reasonOf('bucket.cors') ??
    (status === 'active' ? null : t`The bucket can be changed only while it is active.`);
  const emptyReason =
    reasonOf('bucket.manage') ??
    (status === 'active' ? null : t`The bucket can be changed only while it is active.`);
  const deleteReason =
    reasonOf('bucket.manage') ?? (status === 'deleting' ? t`The bucket is being deleted.` : null);
  return (
    <tr className={classes.row} data-bucket={name}>
      <th scope="row" className={classes.name} title={name}>
        {status === 'active' ? (
          <Link to="/$orgId/storage/$bucketId" params={{ orgId: organization.id, bucketId: bucket.id }}>
            {name}
          </Link>
        ) : (
          name
        )}
        <div className={classes.stored}>
          {formatBytes(bucket.stored_bytes, i18n.locale)} ·{' '}
          {t`${plural(count, { one: '# object', other: '# objects' })}`}
        </div>
        <EmptyingProgress bucket={bucket} />
      </th>
      <td className={classes.id}>
        <code title={bucket.id}>{bucket.id}</code>
        <CopyButton value={bucket.id} label={t`Copy the ID of ${name}`} />
      </td>
      <td className={classes.region} title={regionName(bucket.region)}>
        {bucket.region}
      </td>
      <td className={classes.status}>
        <BucketStatusBadge status={status} /> {bucket.public_read && <PublicBadge />}
      </td>
      <td className={classes.created}>
        <time dateTime={bucket.created_at}>
          {formatDate(bucket.created_at, i18n.locale, { dateStyle: 'medium' })}
        </time>
      </td>
      <td className={`${classes.actions} screen-only`}>
        <ActionIcon
          onClick={() => props.onConnect(bucket)}
          aria-label={t`Connect a client to ${name}`}
          title={t`Connect a client`}
        >
          <IconPlugConnected size={17} stroke={1.6} aria-hidden />
        </ActionIcon>
        <ReasonedAction reason={editReason} onAct={() => props.onEdit(bucket)}>
          {(action) => (
            <ActionIcon
              aria-label={t`Edit ${name}`}
              title={editReason === null ? t`Edit` : undefined}
              {...action}
            >
              <IconPencil size={17} stroke={1.6} aria-hidden />
            </ActionIcon>
          )}
        </ReasonedAction>
        <ReasonedAction reason={emptyReason} onAct={() => props.onEmpty(bucket)}>
          {(action) => (
            <ActionIcon
              aria-label={t({ context: 'bucket', message: `Empty ${name}` })}
              title={emptyReason === null ? t({ context: 'bucket', message: 'Empty' }) : undefined}
              {...action}
            >
              <IconEraser size={17} stroke={1.6} aria-hidden />
            </ActionIcon>
          )}
        </ReasonedAction>
        <ReasonedAction reason={deleteReason} onAct={() => props.onDelete(bucket)}>
          {(action) => (
            <ActionIcon
              aria-label={t({ context: 'bucket', message: `Delete ${name}` })}
              title={deleteReason === null ? t`Delete` : undefined}
              {...action}
            >
              <IconTrash size={17} stroke={1.6} aria-hidden />
            </ActionIcon>
          )}
        </ReasonedAction>
      </td>
    </tr>
  );
}

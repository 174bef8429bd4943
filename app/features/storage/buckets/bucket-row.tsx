import { plural } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { formatDate } from '#server/services/shared/date-rules.ts';
import type { Bucket } from '#server/services/storage/schema.ts';
import { CopyButton } from '../../../components/copying/copy-button.tsx';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { BucketRowActions, type BucketRowChoices } from './bucket-row-actions.tsx';
import { BucketStatusBadge } from './bucket-status-badge.tsx';
import classes from './bucket-table.module.css';
import { EmptyingProgress } from './emptying-progress.tsx';
import { PublicBadge } from './public-badge.tsx';
import { regionName } from './region-name.ts';

/** One bucket of the list, built from plain elements: see the rows of the sites' table. */
export function BucketRow(props: { bucket: Bucket } & BucketRowChoices) {
  const { bucket } = props;
  const { t, i18n } = useLingui();
  const { organization } = useOrganization();
  const { name, status, object_count: count } = bucket;
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
        <BucketRowActions {...props} />
      </td>
    </tr>
  );
}

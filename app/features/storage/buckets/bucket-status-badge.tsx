import { useLingui } from '@lingui/react/macro';
import type { Bucket } from '#server/services/storage/schema.ts';
import { type BadgeColour, RowBadge } from '../../../components/lists/row-badge.tsx';

const COLOURS: Record<Bucket['status'], BadgeColour> = {
  active: 'green',
  pending: 'yellow',
  creating: 'lake',
  deleting: 'gray',
  error: 'red',
};

/** The status of a bucket; hovering explains it. */
export function BucketStatusBadge({ status }: { status: Bucket['status'] }) {
  const { t } = useLingui();
  const words: Record<Bucket['status'], [label: string, meaning: string]> = {
    active: [t({ context: 'bucket', message: 'Active' }), t`The bucket accepts requests.`],
    pending: [
      t({ context: 'bucket', message: 'Pending' }),
      t`The bucket is waiting for the storage service. It will be created automatically.`,
    ],
    creating: [t({ context: 'bucket', message: 'Creating' }), t`The bucket is being created.`],
    deleting: [t({ context: 'bucket', message: 'Deleting' }), t`The content of the bucket is being removed.`],
    error: [
      t({ context: 'bucket', message: 'Error' }),
      t`The bucket could not be created. Delete it and create it again.`,
    ],
  };
  const [label, meaning] = words[status];
  return (
    <RowBadge colour={COLOURS[status]} title={meaning}>
      {label}
    </RowBadge>
  );
}

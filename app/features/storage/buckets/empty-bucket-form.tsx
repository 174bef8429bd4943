import { Trans, useLingui } from '@lingui/react/macro';
import type { Bucket } from '#server/services/storage/schema.ts';
import { trpc } from '../../../trpc.ts';
import { BucketRemovalForm } from './bucket-removal-form.tsx';

/** Asks before all content of a bucket is removed; the bucket stays. */
export default function EmptyBucketForm({ bucket, onDone }: { bucket: Bucket; onDone: () => void }) {
  const { t } = useLingui();
  const empty = trpc.storage.emptyBucket.useMutation();
  const { name } = bucket;
  return (
    <BucketRemovalForm
      bucket={bucket}
      question={
        <Trans>
          Are you sure you want to empty the bucket <strong>{name}</strong>? The bucket and its clients stay,
          and so does anything stored from now on.
        </Trans>
      }
      failure={<Trans>Failed to empty bucket. Please try again.</Trans>}
      submitLabel={<Trans>Empty bucket</Trans>}
      isBlocked={bucket.status !== 'active'}
      removal={empty}
      success={t`The bucket ${name} is being emptied`}
      onDone={onDone}
    />
  );
}

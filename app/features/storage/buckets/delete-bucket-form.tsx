import { Trans, useLingui } from '@lingui/react/macro';
import type { Bucket } from '#server/services/storage/schema.ts';
import { trpc } from '../../../trpc.ts';
import { BucketRemovalForm } from './bucket-removal-form.tsx';

/** Asks before a bucket is deleted with everything in it. */
export default function DeleteBucketForm({ bucket, onDone }: { bucket: Bucket; onDone: () => void }) {
  const { t } = useLingui();
  const remove = trpc.storage.deleteBucket.useMutation();
  const { name } = bucket;
  return (
    <BucketRemovalForm
      bucket={bucket}
      question={
        <Trans>
          Are you sure you want to delete the bucket <strong>{name}</strong>? Its clients lose access
          immediately.
        </Trans>
      }
      failure={<Trans>Failed to delete bucket. Please try again.</Trans>}
      submitLabel={<Trans>Delete bucket</Trans>}
      isBlocked={bucket.status === 'deleting'}
      removal={remove}
      success={t`The bucket ${name} is being deleted`}
      onDone={onDone}
    />
  );
}

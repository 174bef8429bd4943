import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Bucket } from '#server/services/storage/schema.ts';
import { DialogActions } from '../../../components/dialogs/dialog-actions.tsx';
import { Facts } from '../../../components/facts.tsx';
import { focusField } from '../../../components/focus/focus-field.ts';
import { notifySuccess } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { addTyped, CorsFields, corsInput, ORIGIN_FIELD, type TypedCors } from './cors-fields.tsx';
import { CorsTester } from './cors-tester.tsx';
import { PublicReadField } from './public-read-field.tsx';
import { regionName } from './region-name.ts';

/** Which websites may use a bucket, and whether anyone may read it; the rest is read-only. */
export default function EditBucketForm({ bucket, onDone }: { bucket: Bucket; onDone: () => void }) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const update = trpc.storage.updateBucket.useMutation();
  const [cors, setCors] = useState<TypedCors>({
    isEnabled: bucket.cors_enabled,
    origins: bucket.cors_origins,
    typed: '',
  });
  const [isPublic, setPublic] = useState(bucket.public_read);
  const [isChecked, setChecked] = useState(false);
  const origins = addTyped(cors);
  const isOriginWrong = cors.isEnabled && origins === null;
  const isActive = bucket.status === 'active';

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (update.isPending || !isActive) return;
    setChecked(true);
    if (isOriginWrong) {
      focusField(event.currentTarget, ORIGIN_FIELD);
      return;
    }
    try {
      await update.mutateAsync({
        organization_id: organization.id,
        bucket_id: bucket.id,
        ...corsInput({ isEnabled: cors.isEnabled, origins: origins ?? [] }),
        // Only a change needs the right to it.
        ...(isPublic !== bucket.public_read && { public_read: isPublic }),
      });
      await utils.storage.invalidate();
      const { name } = bucket;
      notifySuccess(t`The bucket ${name} was saved`);
      onDone();
    } catch {
      // Shown from update.error.
    }
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Facts
          facts={[
            { name: t`Name`, value: bucket.name },
            { name: t`Region`, value: regionName(bucket.region) },
          ]}
        />
        <CorsFields value={cors} onChange={setCors} isRefused={isChecked && isOriginWrong} />
        <CorsTester bucket={bucket} />
        <PublicReadField isPublic={isPublic} onChange={setPublic} />
        {!isActive && (
          <Alert color="yellow" role="status">
            <Trans>The bucket can be changed only while it is active.</Trans>
          </Alert>
        )}
        {update.error && (
          <Alert color="red" role="alert" title={<Trans>Failed to update bucket. Please try again.</Trans>}>
            {describe(update.error)}
          </Alert>
        )}
        <DialogActions
          submit={<Trans>Save changes</Trans>}
          onCancel={onDone}
          isPending={update.isPending}
          isDisabled={!isActive}
        />
      </Stack>
    </form>
  );
}

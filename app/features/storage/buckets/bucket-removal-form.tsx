import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Bucket } from '#server/services/storage/schema.ts';
import { DialogActions } from '../../../components/dialogs/dialog-actions.tsx';
import { TypedName } from '../../../components/forms/typed-name.tsx';
import { notifySuccess } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';

/** Says what is lost before a bucket's content is removed, and asks for its name if there is any. */
export function BucketRemovalForm(props: {
  bucket: Bucket;
  question: ReactNode;
  /** Says what failed, above the reason. */
  failure: ReactNode;
  submitLabel: ReactNode;
  isBlocked: boolean;
  /** The mutation that does it. */
  removal: {
    mutateAsync: (of: { organization_id: string; bucket_id: string }) => Promise<unknown>;
    isPending: boolean;
    error: unknown;
  };
  /** Says that it has begun. */
  success: string;
  onDone: () => void;
}) {
  const { bucket, removal, onDone } = props;
  const { t, i18n } = useLingui();
  const describe = useErrorMessage();
  const { organization } = useOrganization();
  const utils = trpc.useUtils();
  const [typed, setTyped] = useState('');
  const { object_count: count } = bucket;
  const isConfirmed = count === 0 || typed.trim() === bucket.name;
  const size = formatBytes(bucket.stored_bytes, i18n.locale);
  const objects = t`${plural(count, { one: '# object', other: '# objects' })}`;

  const remove = async () => {
    try {
      await removal.mutateAsync({ organization_id: organization.id, bucket_id: bucket.id });
    } catch {
      // Shown from removal.error.
      return;
    }
    await utils.storage.invalidate();
    notifySuccess(props.success);
    onDone();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isConfirmed && !removal.isPending) void remove();
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {props.question}{' '}
          {count > 0 && (
            <Trans>
              This deletes {objects} ({size}) and cannot be undone.
            </Trans>
          )}
        </Text>
        {count > 0 && <TypedName name={bucket.name} value={typed} onChange={setTyped} />}
        {removal.error != null && (
          <Alert color="red" role="alert" title={props.failure}>
            {describe(removal.error)}
          </Alert>
        )}
        <DialogActions
          submit={props.submitLabel}
          onCancel={onDone}
          isPending={removal.isPending}
          isDisabled={!isConfirmed || props.isBlocked}
          isDestructive
          startsAtCancel={count === 0}
        />
      </Stack>
    </form>
  );
}

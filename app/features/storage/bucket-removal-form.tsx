import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Bucket } from '#server/services/storage/schema.ts';
import { DialogActions } from '../../components/dialog-actions.tsx';
import { TypedName } from '../../components/typed-name.tsx';
import { formatBytes } from '../../i18n/format-bytes.ts';
import { useErrorMessage } from '../../i18n/use-error-message.ts';

/** Says what is lost before a bucket's content is removed, and asks for its name if there is any. */
export function BucketRemovalForm(props: {
  bucket: Bucket;
  question: ReactNode;
  /** Says what failed, above the reason. */
  failure: ReactNode;
  submitLabel: ReactNode;
  isBlocked: boolean;
  /** The mutation that does it. */
  removal: { isPending: boolean; error: unknown };
  onConfirm: () => Promise<void>;
  onCancel: () => void;
}) {
  const { bucket, removal } = props;
  const { t, i18n } = useLingui();
  const describe = useErrorMessage();
  const [typed, setTyped] = useState('');
  const { object_count: count } = bucket;
  const isConfirmed = count === 0 || typed.trim() === bucket.name;
  const size = formatBytes(bucket.stored_bytes, i18n.locale);
  const objects = t`${plural(count, { one: '# object', other: '# objects' })}`;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isConfirmed && !removal.isPending) void props.onConfirm();
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
          onCancel={props.onCancel}
          isPending={removal.isPending}
          isDisabled={!isConfirmed || props.isBlocked}
          isDestructive
          startsAtCancel={count === 0}
        />
      </Stack>
    </form>
  );
}

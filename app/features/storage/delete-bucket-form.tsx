import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Bucket } from '#server/services/storage/schema.ts';
import { notifySuccess } from '../../components/notify.ts';
import { formatBytes } from '../../i18n/format-bytes.ts';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';

/** Says what is lost before a bucket is deleted, and asks for its name where it holds something. */
export default function DeleteBucketForm({ bucket, onDone }: { bucket: Bucket; onDone: () => void }) {
  const { t, i18n } = useLingui();
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const remove = trpc.storage.deleteBucket.useMutation();
  const [typed, setTyped] = useState('');
  const { name, object_count: count } = bucket;
  const isConfirmed = count === 0 || typed.trim() === name;
  const size = formatBytes(bucket.stored_bytes, i18n.locale);
  const objects = t`${plural(count, { one: '# object', other: '# objects' })}`;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isConfirmed || remove.isPending) return;
    try {
      await remove.mutateAsync({ organization_id: organization.id, bucket_id: bucket.id });
    } catch {
      // Shown from remove.error.
      return;
    }
    await utils.storage.invalidate();
    notifySuccess(t`The bucket ${name} is being deleted`);
    onDone();
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <Trans>
            Are you sure you want to delete the bucket <strong>{name}</strong>? Its clients are refused at
            once.
          </Trans>{' '}
          {count > 0 && (
            <Trans>
              What it holds is removed with it: {objects}, {size}. This cannot be undone.
            </Trans>
          )}
        </Text>
        {count > 0 && (
          <TextInput
            data-autofocus
            label={
              <Trans>
                Type <Code>{name}</Code> to confirm
              </Trans>
            }
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        {remove.error && (
          <Alert color="red" role="alert" title={<Trans>Failed to delete bucket. Please try again.</Trans>}>
            {describe(remove.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onDone} data-autofocus={count === 0 || undefined}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            type="submit"
            color="red"
            disabled={!isConfirmed || bucket.status === 'deleting'}
            loading={remove.isPending}
          >
            <Trans>Delete bucket</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Passkey } from '#server/services/identity/schema.ts';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { notifySuccess } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { sendToIdentity } from '../send-to-identity.ts';
import { AddPasskeyForm } from './add-passkey-form.tsx';
import { RemovePasskeyForm } from './remove-passkey-form.tsx';

/** The signed-in person's passkeys: list, add, remove. */
export function PasskeySection() {
  const { t } = useLingui();
  const describe = useErrorMessage();
  const [view, setView] = useState<'list' | 'add' | Passkey>('list');
  const status = useQuery({
    queryKey: ['identity', 'passkeys'],
    queryFn: () => sendToIdentity<'passkeysSchema'>('GET', '/profile/passkeys'),
  });
  const back = () => {
    setView('list');
    void status.refetch();
  };
  if (status.error && !status.data) {
    return <ErrorNotice onRetry={status.refetch}>{describe(status.error)}</ErrorNotice>;
  }
  if (!status.data) return <Skeleton height={36} width="60%" />;
  const { passkeys, is_code_needed: isCodeNeeded } = status.data;
  if (view === 'add') {
    return (
      <AddPasskeyForm
        isCodeNeeded={isCodeNeeded}
        onCancel={back}
        onAdded={({ name }) => {
          notifySuccess(t`You can now sign in with “${name}”.`);
          back();
        }}
      />
    );
  }
  if (view !== 'list') {
    return <RemovePasskeyForm passkey={view} isCodeNeeded={isCodeNeeded} onCancel={back} onRemoved={back} />;
  }
  return (
    <Stack gap="md">
      {passkeys.length > 0 && (
        <Stack gap="sm" component="ul" m={0} p={0}>
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onRemove={() => setView(passkey)} />
          ))}
        </Stack>
      )}
      <Group>
        <Button variant="default" onClick={() => setView('add')}>
          <Trans>Add a passkey</Trans>
        </Button>
      </Group>
    </Stack>
  );
}

function PasskeyRow({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) {
  const { t } = useLingui();
  const { name, created_at, last_used_at } = passkey;
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="sm" style={{ listStyle: 'none' }}>
      <div style={{ minWidth: 0 }}>
        <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {last_used_at ? (
            <Trans>
              Added <TimeAgo instant={created_at} />, last used <TimeAgo instant={last_used_at} />
            </Trans>
          ) : (
            <Trans>
              Added <TimeAgo instant={created_at} />, not used yet
            </Trans>
          )}
        </Text>
      </div>
      <Button
        variant="default"
        size="xs"
        style={{ flex: 'none' }}
        onClick={onRemove}
        aria-label={t`Remove passkey ${name}`}
      >
        <Trans>Remove</Trans>
      </Button>
    </Group>
  );
}
